"""How many examples a property test looks at, by what it is about: a multiple of what the profile says."""

from hypothesis import HealthCheck, settings


def times(factor: float) -> settings:
    """Settings of `factor` times as many examples as the profile (25 by default): `@times(4)` for what is cheap to try
    and bad to miss, `@times(0.2)` for what makes files or processes.
    """
    assert settings.default is not None
    return settings(max_examples=max(1, round(settings.default.max_examples * factor)))


THOROUGH = times(4)
"""Framing, folds and taking back: what they lose is lost for good. And what has so many shapes that 25 are few."""

assert settings.default is not None
SHARING = settings(suppress_health_check=[*settings.default.suppress_health_check, HealthCheck.function_scoped_fixture])
"""All examples have the same folders and fixtures, and are none the worse for it."""
