"""The copies of the official schema hold data only."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.schema.strip import MAPS, stripped

COPIES = sorted((Path(__file__).parents[1] / "schema").glob("v*/*.json"))


def annotations(schema: Any) -> Iterator[str]:
    """All strings of a schema that stand where prose could stand."""
    for key, value in schema.items() if isinstance(schema, dict) else ():
        if key in ("description", "title") and isinstance(value, str):
            yield value
        for each in value.values() if key in MAPS and isinstance(value, dict) else [value]:
            yield from annotations(each)
    for each in schema if isinstance(schema, list) else ():
        yield from annotations(each)


def test_there_are_copies_of_both_versions() -> None:
    assert [f"{path.parent.name}/{path.name}" for path in COPIES] == [
        "v1/schema.json",
        "v1/schema.unstable.json",
        "v2/schema.json",
        "v2/schema.unstable.json",
    ]


def test_copies_have_no_prose() -> None:
    copies = {f"{path.parent.name}/{path.name}": json.loads(path.read_text(encoding="utf-8")) for path in COPIES}
    assert {name: prose for name, schema in copies.items() if (prose := [*annotations(schema)])} == {}
    assert [name for name, schema in copies.items() if stripped(schema) != schema] == []


def test_stripping_keeps_members_that_are_called_like_prose() -> None:
    schema = {"title": "T", "properties": {"title": {"type": "string", "description": "D"}}, "x-side": "agent"}
    assert stripped(schema) == {"properties": {"title": {"type": "string"}}, "x-side": "agent"}
