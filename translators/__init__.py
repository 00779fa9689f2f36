"""Turns published metadata into the tasks that an evaluation framework runs."""
