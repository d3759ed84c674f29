"""Copy the official schemas without their prose: `python tests/schema/strip.py SOURCE_DIR`.

SOURCE_DIR holds `v1/schema.json` and its kin, as they lie in `schema/` of the npm package (see NOTICE). What a
validator or the marks of tolerance need stays; descriptions, titles, comments and examples go.
"""

import json
import sys
from pathlib import Path
from typing import Any

PROSE = frozenset({"description", "title", "$comment", "examples", "x-docs-ignore"})
MAPS = frozenset({"properties", "$defs", "patternProperties"})  # their keys are names, not keywords
DATA = frozenset({"const", "default", "enum"})


def stripped(schema: Any) -> Any:
    """A schema without its prose."""
    if isinstance(schema, list):
        return [stripped(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _stripped_member(key, value) for key, value in schema.items() if key not in PROSE}


def _stripped_member(key: str, value: Any) -> Any:
    if key in DATA:
        return value
    if key in MAPS:
        return {name: stripped(each) for name, each in value.items()}
    return stripped(value)


def main(source: Path) -> None:
    """Write the copies beside this script, one line for each definition."""
    here = Path(__file__).parent
    for path in sorted(source.glob("v*/schema*.json")):
        schema = stripped(json.loads(path.read_text(encoding="utf-8")))
        definitions = schema.pop("$defs")
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in definitions.items())
        head = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in schema.items())
        copy = here / path.relative_to(source)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(f'{{\n{head}"$defs": {{\n{lines}\n}}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
