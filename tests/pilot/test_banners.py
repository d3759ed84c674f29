"""Banners on the screen: what features add and take, in the order of the features."""

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from acp_tui.ui.prompt.banners import NO_KEYS, Banner, Banners

pytestmark = pytest.mark.anyio


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.banners = Banners("first", "second")

    def compose(self) -> ComposeResult:
        yield self.banners


async def test_features_add_and_take_their_rows_in_the_order_of_the_features() -> None:
    done: list[str] = []
    host = Host()
    async with host.run_test(size=(40, 24)) as pilot:
        assert not host.banners.display
        host.banners.put("second", Banner([("later", NO_KEYS)], action=lambda: done.append("later")))
        host.banners.put("first", Banner([("one", NO_KEYS)]), Banner([("two", NO_KEYS)]))
        await pilot.pause()
        assert host.banners.render() == Content("one\ntwo\n\nlater")
        await pilot.click(host.banners, offset=(1, 2))  # the blank row between two features
        await pilot.click(host.banners, offset=(1, 3))
        assert done == ["later"]
        host.screen.add_class("-short")
        await pilot.resize_terminal(40, 20)
        await pilot.pause()
        assert host.banners.render() == Content("one\ntwo\nlater")
        host.banners.put("first")
        await pilot.pause()
        assert host.banners.render() == Content("later")
        host.banners.put("second")
        assert not host.banners.display
