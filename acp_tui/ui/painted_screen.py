"""The screen that all of ours are: `compositing` says what of it is painted, `pacing` when."""

from textual.screen import Screen, ScreenResultType
from textual.timer import Timer

from acp_tui.ui.compositing import in_place_of
from acp_tui.ui.pacing import frame_timer, times_frames


class PaintedScreen(Screen[ScreenResultType]):
    """A screen of which only the rows that changed are painted, as soon as the last frame allows."""

    _frame_timer: Timer | None = None

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(name, id, classes)
        compositor = in_place_of(getattr(self, "_compositor", None))
        if compositor is not None:
            self._compositor = compositor
        times_frames()  # the log tells what has changed even where nothing asks for the timer by this name

    @property
    def _update_timer(self) -> Timer:
        if self._frame_timer is None:
            paced = times_frames()
            self._frame_timer = frame_timer(self, self._on_timer_update) if paced else super()._update_timer
        return self._frame_timer
