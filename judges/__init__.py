"""Decides whether a response is right. Knows no framework."""
