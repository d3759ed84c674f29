"""The official schemas: what they name, what they mark, and values that they allow."""

import json
from collections.abc import Iterator
from importlib import import_module
from math import ceil, floor
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

Draft202012Validator: Any = import_module("jsonschema").Draft202012Validator  # it has no types of its own
extended: Any = import_module("jsonschema.validators").extend

MARKS = ("x-deserialize-default-on-error", "x-deserialize-skip-invalid-items", "x-deserialize-default-on-null")
NEWER = "_newer"  # a word that no version knows

CHARACTERS = st.characters(exclude_categories=["Cs"])  # all that UTF-8 can say

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(CHARACTERS, max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=2),
    max_leaves=4,
)


def marks(member: dict[str, Any]) -> set[str]:
    return {mark for mark in MARKS if member.get(mark)}


def _ruled_out(branch: Any, value: Any) -> bool:
    """Whether a branch of a union wants another word in one of its members: `{"type": "text"}` is no image."""
    members = branch.get("properties", {}) if isinstance(branch, dict) and isinstance(value, dict) else {}
    wanted = {
        name: member["const"] for name, member in members.items() if isinstance(member, dict) and "const" in member
    }
    words = [(word, value[name]) for name, word in wanted.items() if name in value]
    return any(isinstance(word, str) and isinstance(given, str) and word != given for word, given in words)


def _fewer(keyword: str) -> Any:
    """The keyword, which looks for all faults of each branch, with the branches only that can be valid, if any can."""
    judged = Draft202012Validator.VALIDATORS[keyword]

    def faults(validator: Any, branches: list[Any], value: Any, schema: Any) -> Iterator[Any]:
        left = [branch for branch in branches if not _ruled_out(branch, value)]
        yield from judged(validator, left or branches, value, schema)

    return faults


QuickValidator = extended(Draft202012Validator, {keyword: _fewer(keyword) for keyword in ("oneOf", "anyOf")})


class Official:
    """The schema of one version."""

    def __init__(self, version: int, file: str = "schema.json") -> None:
        path = Path(__file__).parents[2] / "schema" / f"v{version}" / file
        self.version = version
        self.definitions: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["$defs"]
        self._validators: dict[str, Any] = {}
        self._defined: dict[str, st.SearchStrategy[Any]] = {}

    def validator(self, name: str) -> Any:
        if name not in self._validators:
            schema = {"$ref": f"#/$defs/{name}", "$defs": self.definitions}
            self._validators[name] = QuickValidator(schema)
        return self._validators[name]

    def valid(self, schema: dict[str, Any], value: Any) -> bool:
        return bool(QuickValidator({**schema, "$defs": self.definitions}).is_valid(value))

    def properties(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.definitions[name].get("properties", {})
        return found

    def constants(self, name: str, member: str | None = None) -> set[Any]:
        """The values that a definition names, as a value itself or as its discriminator `member`."""
        found = set()
        for branch in [*self.definitions[name].get("oneOf", []), *self.definitions[name].get("anyOf", [])]:
            named = branch if member is None else branch.get("properties", {}).get(member, {})
            if "const" in named:
                found.add(named["const"])
        return found

    def methods(self, side: str) -> Iterator[tuple[str, str]]:
        """The definitions whose `x-side` is `side`, with their methods."""
        for name, definition in self.definitions.items():
            if definition.get("x-side") == side:
                yield name, definition["x-method"]

    def values(self, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        """Values that `schema` allows, with every optional member there or not."""
        if "$ref" in schema:
            return self.defined(schema["$ref"].rsplit("/", 1)[1])
        return st.one_of([self._flat_values(flat) for flat in self.alternatives(schema)])

    def defined(self, name: str) -> st.SearchStrategy[Any]:
        """The same of a definition; made once, for Hypothesis has to look into each strategy that is new to it."""
        if name not in self._defined:
            self._defined[name] = st.deferred(lambda: self.values(self.definitions[name]))
        return self._defined[name]

    def alternatives(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """The schema without references and unions, one for each way through them."""
        if "$ref" in schema:
            return self.alternatives(self.definitions[schema["$ref"].rsplit("/", 1)[1]])
        found = [{key: value for key, value in schema.items() if key not in ("allOf", "anyOf", "oneOf")}]
        for part in schema.get("allOf", []):
            found = [_merged(left, right) for left in found for right in self.alternatives(part)]
        for union in ("anyOf", "oneOf"):
            if union in schema:
                branches = [each for part in schema[union] for each in self.alternatives(part)]
                found = [_merged(left, right) for left in found for right in branches]
        return found

    def _flat_values(self, flat: dict[str, Any]) -> st.SearchStrategy[Any]:
        if "const" in flat:
            return st.just(flat["const"])
        kinds = flat.get("type")
        if isinstance(kinds, list):
            return st.one_of([self._flat_values({**flat, "type": kind}) for kind in kinds])
        if kinds == "object":
            return self._objects(flat)
        if kinds == "array":
            return st.lists(self.values(flat["items"]), min_size=flat.get("minItems", 0), max_size=3)
        return self._scalars(flat)

    def _scalars(self, flat: dict[str, Any]) -> st.SearchStrategy[Any]:
        if flat.get("type") == "integer":
            return st.integers(flat.get("minimum"), flat.get("maximum"))
        if flat.get("type") == "number":
            low, high = flat.get("minimum"), flat.get("maximum")
            whole = st.integers(-(2**40) if low is None else ceil(low), 2**40 if high is None else floor(high))
            return st.floats(low, high, allow_nan=False, allow_infinity=False) | whole
        simple: dict[str | None, st.SearchStrategy[Any]] = {
            "string": st.text(CHARACTERS, min_size=flat.get("minLength", 0), max_size=6),
            "boolean": st.booleans(),
            "null": st.none(),
        }
        return simple.get(flat.get("type"), json_values)

    def _objects(self, flat: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        members = flat.get("properties", {})
        if not members and isinstance(flat.get("additionalProperties"), dict):
            return st.dictionaries(st.text("abc", max_size=3), self.values(flat["additionalProperties"]), max_size=2)
        if not members and flat.get("additionalProperties") is True:
            return st.dictionaries(st.text("abc", max_size=3), json_values, max_size=2)
        required = set(flat.get("required", []))
        made = {name: self._member(flat, name, member) for name, member in members.items()}
        return st.fixed_dictionaries(
            {name: made[name] for name in made if name in required},
            optional={name: made[name] for name in made if name not in required},
        )

    def _member(self, flat: dict[str, Any], name: str, member: dict[str, Any]) -> st.SearchStrategy[Any]:
        if "not" in flat and name in ("type", "mode", "action", "operation", "state", "sessionUpdate"):
            return st.just(NEWER)
        return self.values(member)


def _merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    members = {**right.get("properties", {}), **left.get("properties", {})}
    required = [*left.get("required", []), *right.get("required", [])]
    return {**left, **right, "properties": members, "required": required}


V1, V2 = Official(1), Official(2)
SCHEMAS = {1: V1, 2: V2}
validator, defined = V1.validator, V1.defined  # for tests that know only this version
