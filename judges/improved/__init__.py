"""The opt-in rule set: what a careful reader takes a response to say. Its verdicts are not the publisher's."""
