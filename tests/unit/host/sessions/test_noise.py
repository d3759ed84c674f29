from acp_tui.host.sessions.children import SHOWN, NoiseMeter
from acp_tui.session.facts import Noticed


def meter() -> tuple[NoiseMeter, list[Noticed]]:
    told: list[Noticed] = []
    return NoiseMeter(told.append), told


def test_the_first_are_told_in_full() -> None:
    noise, told = meter()
    for number in range(SHOWN):
        noise.hear("malformed", f"line {number}")
    assert [one.message for one in told] == [f"line {number}" for number in range(SHOWN)]


def test_a_flood_is_told_at_powers_of_ten_and_summed_up_at_the_end() -> None:
    noise, told = meter()
    for _ in range(1500):
        noise.hear("malformed", "x")
    assert [one.message for one in told[SHOWN:]] == [f"{count} times so far" for count in ("10", "100", "1,000")]
    noise.settle()
    assert told[-1].message == f"{1500 - SHOWN:,} more"


def test_after_settling_it_is_told_in_full_again() -> None:
    noise, told = meter()
    for _ in range(SHOWN + 1):
        noise.hear("malformed", "x")
    noise.settle()
    noise.settle()
    noise.hear("malformed", "anew")
    assert [one.message for one in told] == ["x"] * SHOWN + ["1 more", "anew"]


def test_kinds_are_counted_apart() -> None:
    noise, told = meter()
    for _ in range(SHOWN + 1):
        noise.hear("malformed", "x")
    noise.hear("oversized", "y")
    assert told[-1].message == "y"
    assert told[-1].title != told[0].title


def test_who_shows_the_noise_by_other_means_is_told_whether_to() -> None:
    noise, told = meter()
    assert [noise.allows("rejected") for _ in range(SHOWN + 2)] == [True] * SHOWN + [False] * 2
    assert told == []
    noise.settle()
    assert [one.message for one in told] == ["2 more"]


def test_what_to_make_of_it_is_said_once() -> None:
    noise, told = meter()
    for _ in range(SHOWN):
        noise.hear("malformed", "INFO loaded")
    assert [bool(one.hint) for one in told] == [True] + [False] * (SHOWN - 1)
    assert "stderr" in told[0].hint
