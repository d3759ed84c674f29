"""What is subscribed to: who wants to hear of it is called with each piece of news, in order, at once."""

from collections.abc import Callable
from typing import Generic, ParamSpec

News = ParamSpec("News")


class Publisher(Generic[News]):
    """Something that others hear from; a base class, or an attribute where there are several kinds of news."""

    _listeners: tuple[Callable[..., object], ...] = ()

    def subscribe(self, listener: Callable[News, object]) -> Callable[[], None]:
        """Call `listener` with all that is published from now on; the result ends the subscription."""

        def unsubscribe() -> None:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

        self._listeners = (*self._listeners, listener)
        return unsubscribe

    def publish(self, *news: News.args, **_: News.kwargs) -> None:
        for listener in self._listeners:
            listener(*news)
