"""What all tests share."""

from hypothesis import settings

# A busy machine is slow now and then: time is bounded by the tests that are about time.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
