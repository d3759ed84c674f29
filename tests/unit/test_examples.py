"""How many examples property tests have follows the profile that was chosen for the run."""

from hypothesis import HealthCheck, settings

from tests.examples import SHARING, THOROUGH, times


def test_they_are_multiples_of_the_profile_and_keep_the_rest_of_it() -> None:
    profile = settings.default
    assert profile is not None
    assert (times(1).max_examples, THOROUGH.max_examples) == (profile.max_examples, 4 * profile.max_examples)
    assert times(0.0001).max_examples == 1
    for each in (times(0.5), THOROUGH, SHARING):
        assert (each.deadline, each.derandomize, each.database) == (None, profile.derandomize, None)
        assert HealthCheck.too_slow in each.suppress_health_check
