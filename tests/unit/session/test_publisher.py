"""Whoever subscribes hears each piece of news, in order, until the subscription is ended."""

import ast

from acp_tui.session.changes import Publisher
from tests.house.sources import name_of, nodes_of, sources


def test_each_hears_all_news_until_its_subscription_ends() -> None:
    heard: list[str] = []
    news: Publisher[[str, int]] = Publisher()
    end = news.subscribe(lambda word, number: heard.append(f"first {word} {number}"))
    news.subscribe(lambda word, number: heard.append(f"second {word} {number}"))
    news.publish("a", 1)
    end()
    end()
    news.publish("b", 2)
    assert heard == ["first a 1", "second a 1", "second b 2"]


def test_one_that_leaves_while_news_is_published_leaves_none_out() -> None:
    heard: list[str] = []
    news: Publisher[[]] = Publisher()

    def first() -> None:
        heard.append("first")
        end()

    end = news.subscribe(first)
    news.subscribe(lambda: heard.append("second"))
    news.publish()
    news.publish()
    assert heard == ["first", "second", "second"]


def test_two_publishers_share_no_listener() -> None:
    heard: list[int] = []
    one: Publisher[[int]] = Publisher()
    other: Publisher[[int]] = Publisher()
    one.subscribe(heard.append)
    other.publish(1)
    assert heard == []


def test_nothing_else_keeps_subscriptions() -> None:
    """A law of the house: subscribing is written once."""
    functions = [(name_of(path), node) for path in sources() for node in nodes_of(path)]
    found = [name for name, node in functions if isinstance(node, ast.FunctionDef) and node.name == "subscribe"]
    assert found == ["host/client.py", "session/changes.py"]
