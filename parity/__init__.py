"""The same responses under several scorers, side by side."""
