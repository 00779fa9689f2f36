"""The opt-in rule set: what a careful reader takes a response to say. Not the publisher's verdicts."""
