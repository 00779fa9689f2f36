"""The ``mmeval-pack`` command: one file a command."""
