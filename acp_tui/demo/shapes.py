"""What answers can look like: Markdown with everything in it, and diffs in all shapes."""

from acp_tui.demo.session import Session, diff_item

_MARKDOWN = (
    """\
# A heading

## Another, and *emphasis*, **strength**, ~~regret~~ and `code`

A paragraph that is long enough to be wrapped, with a [link](https://example.com), a soft
break, and a hard one\\
right here.

- a list
  - with a list in it
    1. and numbers
    2. in that
- [x] something done
- [ ] something not

| Name | Width | Note |
|:-----|------:|:----:|
| narrow | 1 | plain |
| 宽字符 | 2 | wide |
| 👩‍🚀 e\u0301 | ? | joined, combined |

```python
@dataclass
class Point:
    x: float = 0.0

    def shifted(self, by: float) -> "Point":
        return Point(self.x + by)  # a new one
```

```diff
-old line
+new line
```

```json
{"nested": {"numbers": [1, 2.5e3, null], "text": "\\u00e9"}}
```

> A quote
>
> > with a quote in it, and `code`

***

שלום, مرحبا, 你好, こんにちは, 안녕하세요. A_very_long_word_without_any_break_"""
    + "x" * 120
    + """

Text that looks like markup of other kinds: [bold]no[/bold], <b>no</b>, &amp; yes.
"""
)


async def markdown(session: Session, _: str) -> str:
    """Everything that Markdown can show."""
    await session.say(_MARKDOWN)
    session.usage()
    return "end_turn"


async def diffs(session: Session, _: str) -> str:
    """Diffs in all shapes; nothing is written."""
    folder = session.cwd
    before = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(30))
    after = before.replace("value + 7\n", "value + 8  # one more\n").replace("step_20", "twentieth_step")
    shapes = (
        ("Edit steps.py", [diff_item(folder / "steps.py", before, after)]),
        ("Write new.py", [diff_item(folder / "new.py", None, "print('new')\n" * 25)]),
        ("Clear old.txt", [diff_item(folder / "old.txt", "going\ngoing\n", "")]),
        (
            "Edit three files",
            [
                diff_item(folder / name, f"name = '{name}'\nok = False\n", f"name = '{name}'\nok = True\n")
                for name in "abc"
            ],
        ),
        (
            "Edit wide.md",
            [diff_item(folder / "wide.md", "旧的标题 and\ttabs\n", "新的标题 and\ttabs\n" + "long " * 60)],
        ),
    )
    for title, content in shapes:
        call = session.tool_call(title, "edit", content=content)
        await call.work(25)
        call.succeed()
    await session.say("Five edits, none of which was written.")
    return "end_turn"
