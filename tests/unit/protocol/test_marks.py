"""The marks of tolerance beside our members are those of the official schemas, definition by definition."""

from collections.abc import Iterator

import pytest

from acp_tui.protocol.base import Model, ToleranceMark
from tests.rows import each_of
from tests.unit.protocol.official import Official, marks
from tests.unit.protocol.readers import VERSION_1, Table
from tests.unit.protocol.readers_v2 import VERSION_2

TABLES = {1: VERSION_1, 2: VERSION_2}
EACH = [(version, name) for version, table in TABLES.items() for name in table.readers]
OUR_NOTES = {"CancelNotification", "CancelSessionNotification", "ClientRequest", "ClientResponse", "ClientNotification"}


def what_we_send(official: Official) -> Iterator[str]:
    for name, definition in official.definitions.items():
        ours = ("client", "Response"), ("agent", "Request")
        if any(definition.get("x-side") == side and name.endswith(end) for side, end in ours):
            yield name
    yield from OUR_NOTES


def our_marks(model: type[Model], member: str) -> set[str]:
    field = next(field for name, field in model.model_fields.items() if (field.alias or name) == member)
    return {each.value for each in field.metadata if isinstance(each, ToleranceMark)}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_definition_with_members_has_a_reader(table: Table) -> None:
    official = table.official
    with_members = {name for name in official.definitions if official.properties(name).keys() - {"_meta"}}
    assert with_members - table.readers.keys() - table.elsewhere.keys() - set(what_we_send(official)) == set()
    assert table.readers.keys() | table.elsewhere.keys() <= official.definitions.keys()


@each_of(("version", "name"), EACH)
def test_marks_are_the_schema_s(version: int, name: str) -> None:
    table = TABLES[version]
    excused = {*table.folded, *table.kinder_marks}
    members = table.official.properties(name)
    expected = {member: marks(schema) for member, schema in members.items() if (name, member) not in excused}
    assert {member: our_marks(table.readers[name], member) for member in expected} == expected


@each_of(("version", "name"), EACH)
def test_what_is_required_is_required(version: int, name: str) -> None:
    table = TABLES[version]
    excused = {member for each, member in [*table.kinder, *table.folded, *table.checked] if each == name}
    required = set(table.official.definitions[name].get("required", []))
    fields = table.readers[name].model_fields.items()
    assert required - {field.alias or key for key, field in fields if field.is_required()} - excused == set()
