"""Textual's styles, worked out once for all apps of a run instead of for each node of each app.

A start of the app asks some 200 times which rules of the stylesheets hold for a node, and each focus or class that
changes asks again for all that is below it. The answer depends on the rules, on the types, ids, classes and
pseudo-classes on the node's path and on nothing else, so it is kept by these; styles that a node has already are not
set again. `tests/pilot/test_stylesheets.py` holds that every node has the styles that Textual itself gives it.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

Rules = dict[str, Any]

BY_PLACE = frozenset(
    ("first-of-type", "last-of-type", "first-child", "last-child", "odd", "even", "focus-within", "empty")
)
"""Pseudo-classes that look at more than a node's path; where a rule has one Textual is asked each time."""

_parse = Stylesheet.parse
_parse_rules = Stylesheet._parse_rules
_apply = Stylesheet.apply
_replace_rules = Stylesheet.replace_rules


class Sheet(NamedTuple):
    """All rules of an app's stylesheets."""

    rules: list[RuleSet]
    by_name: dict[str, list[RuleSet]]
    number: int


class Candidates(NamedTuple):
    """What the rules ask that can hold for nodes of one type, id and classes."""

    pseudo_classes: tuple[str, ...]
    by_place: bool


_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}
_sheets: dict[tuple[Any, ...], Sheet] = {}
_paths: dict[tuple[Any, ...], int] = {}  # a number for each path from the app to a node
_candidates: dict[tuple[Any, ...], Candidates] = {}
_found: dict[tuple[Any, ...], Rules] = {}
_set: dict[tuple[int, str], Rules] = {}  # by rules and type: what a node has once they were set in a new one


def parse_rules(stylesheet: Stylesheet, css: str, **origin: Any) -> list[RuleSet]:
    """In place of `Stylesheet._parse_rules`: across apps, the theme's variables belong to the key."""
    key = (css, *origin.values(), *stylesheet._variables.items())
    if key not in _parsed:
        _parsed[key] = _parse_rules(stylesheet, css, **origin)
    return _parsed[key]


def parse(stylesheet: Stylesheet) -> None:
    """In place of `Stylesheet.parse`, which Textual calls anew with each type of widget that the app meets."""
    if stylesheet._invalid_css:
        _parse(stylesheet)
        return
    key = (*stylesheet.source.items(), *stylesheet._variables.items())
    if (sheet := _sheets.get(key)) is None:
        _parse(stylesheet)
        sheet = _sheets[key] = Sheet(stylesheet._rules, dict(stylesheet.rules_map), len(_sheets))
    stylesheet._rules, stylesheet._rules_map, stylesheet._require_parse = sheet.rules, sheet.by_name, False
    vars(stylesheet)["_sheet"] = sheet


def apply(stylesheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: Any = None) -> None:
    """In place of `Stylesheet.apply`; `cache` lasts for one update, in which no class and no focus changes."""
    sheet: Sheet | None = vars(stylesheet).get("_sheet") if stylesheet.rules is not None else None
    if sheet is None or sheet.rules is not stylesheet._rules:
        _apply(stylesheet, node, animate=animate, cache=cache)
        return
    known = {} if cache is None else cache
    path = _path_of(node, known)
    candidates = _candidates_of(sheet, node, path)
    if candidates.by_place:
        _apply(stylesheet, node, animate=animate, cache=cache)
        return
    names = candidates.pseudo_classes
    node._has_hover_style = "hover" in names
    node._has_focus_within = node._has_order_style = node._has_odd_or_even = False
    key = (sheet.number, path, names, _states_of(node, names, known))
    if (rules := _found.get(key)) is None:
        rules = _found[key] = _rules_for(stylesheet, node)
    if rules:
        replace_rules(node, rules, animate=animate)
    _apply_to_components(stylesheet, sheet, node, path, known)


def _path_of(node: DOMNode, known: dict[Any, Any]) -> int:
    """The number of the types, ids and classes from the app to this node."""
    number: int | None = known.get(("path", node))
    if number is None:
        parent = node._parent
        above = _path_of(parent, known) if isinstance(parent, DOMNode) else -1
        own = (above, type(node), node._css_type_name, node._id, frozenset(node._classes))
        number = known["path", node] = _paths.setdefault(own, len(_paths))
    return number


def _states_of(node: DOMNode, names: tuple[str, ...], known: dict[Any, Any]) -> tuple[Any, ...]:
    """Which of these pseudo-classes the nodes from the app to this one have."""
    states: tuple[Any, ...] | None = known.get(("states", node, names))
    if states is None:
        parent = node._parent
        above = _states_of(parent, names, known) if isinstance(parent, DOMNode) else ()
        states = known["states", node, names] = (*above, *[node.has_pseudo_class(name) for name in names])
    return states


def _candidates_of(sheet: Sheet, node: DOMNode, path: int) -> Candidates:
    if (found := _candidates.get((sheet.number, path))) is None:
        found = _candidates[sheet.number, path] = _asked_by(sheet, [node])
    return found


def _asked_by(sheet: Sheet, nodes: Sequence[DOMNode]) -> Candidates:
    """What the rules ask that may hold for one of these nodes."""
    selectors = {name for node in nodes for name in node._selector_names}
    rules = [rule for name in sheet.by_name.keys() & selectors for rule in sheet.by_name[name]]
    names = sorted({name for rule in rules for name in rule.pseudo_classes})
    return Candidates(tuple(names), not BY_PLACE.isdisjoint(names))


class _Asked(Stylesheet):
    """A stylesheet that tells which rules it would set, and sets none."""

    given: Rules

    def replace_rules(self, node: DOMNode, rules: Any, animate: bool = False) -> None:  # type: ignore[override]
        self.given = rules

    def _process_component_classes(self, node: DOMNode) -> None:
        """They are asked for by themselves."""


def _rules_for(stylesheet: Stylesheet, node: DOMNode) -> Rules:
    """What Textual itself finds."""
    asked = _Asked.__new__(_Asked)
    vars(asked).update(vars(stylesheet), given={})
    _apply(asked, node)
    return asked.given


def replace_rules(node: DOMNode, rules: Rules, animate: bool = False) -> None:
    """In place of `Stylesheet.replace_rules`: what was set last, and has not been changed since, is there already."""
    base, last = node._css_styles, vars(node).get("_rules_set")
    if last is None and not base._rules and not node._is_mounted:
        key = (id(rules), node._css_type_name)
        if key not in _set:
            _replace_rules(node, rules, animate=animate)  # type: ignore[arg-type]
            _set[key] = dict(base._rules)
        else:
            base.merge_rules(_set[key])  # type: ignore[arg-type]
            node.notify_style_update()
    elif last == (id(rules), base._updates):
        node.notify_style_update()
    else:
        _replace_rules(node, rules, animate=animate)  # type: ignore[arg-type]
    vars(node)["_rules_set"] = id(rules), base._updates


def _apply_to_components(stylesheet: Stylesheet, sheet: Sheet, node: DOMNode, path: int, known: dict[Any, Any]) -> None:
    """In place of `Stylesheet._process_component_classes`: not again where nothing on the path has changed."""
    if not (components := _components_of(type(node))):
        return
    asked = _asked_by_components(sheet, components)
    key = (sheet.number, path, _states_of(node, asked.pseudo_classes, known))
    if not asked.by_place and vars(node).get("_components_set") == key:
        return
    before = node._component_styles.copy()
    node._component_styles.clear()
    for component in components:
        part = DOMNode(classes=component)
        part._attach(node)
        apply(stylesheet, part, cache=known)
        node._component_styles[component] = part.styles
    if before != node._component_styles:
        node.refresh()
    vars(node)["_components_set"] = key


@cache
def _components_of(kind: type[DOMNode]) -> tuple[str, ...]:
    return tuple(sorted(kind._get_component_classes()))


def _asked_by_components(sheet: Sheet, components: tuple[str, ...]) -> Candidates:
    if (found := _candidates.get((sheet.number, components))) is None:
        parts = [DOMNode(classes=component) for component in components]
        found = _candidates[sheet.number, components] = _asked_by(sheet, parts)
    return found


def work_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have stylesheets parsed and applied once for all apps."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules)
    monkeypatch.setattr(Stylesheet, "parse", parse)
    monkeypatch.setattr(Stylesheet, "apply", apply)
