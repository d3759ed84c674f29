"""Walking through the prompt history; knows neither keys nor widgets nor where the history is kept."""

from collections.abc import Sequence


class Recall:
    """A walk: from the draft back to older prompts and forward again. Prompts are oldest first."""

    def __init__(self) -> None:
        self._prompts: Sequence[str] = ()
        self._at: int | None = None
        self._draft = ""

    def older(self, prompts: Sequence[str], current: str) -> str | None:
        """The prompt before the one shown, or None at the oldest. The first step keeps `current` as the draft."""
        if self._at is None:
            self._prompts, self._draft, self._at = tuple(prompts), current, len(prompts)
        if self._at == 0:
            if not self._prompts:
                self._at = None
            return None
        self._at -= 1
        return self._prompts[self._at]

    def newer(self) -> str | None:
        """The prompt after the one shown, the draft after the newest, or None where no walk is on."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self._prompts):
            return self._prompts[self._at]
        self._at = None
        return self._draft

    def stop(self) -> None:
        """What is shown was edited or sent: it is the draft from now on."""
        self._at = None
