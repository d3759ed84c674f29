"""What passes on the wire, for onlookers: kept for a while, cut into lines, written down without secrets."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.client import Client
from acp_tui.host.records.inspection import Inspection
from acp_tui.host.records.redaction import FormAnswers, TrafficLines, redact_line
from acp_tui.host.records.traffic import KEPT, Direction, Traffic, TrafficChunk
from acp_tui.host.records.wire_record import WireLine, WireRecord, read_wire_record
from acp_tui.protocol.capabilities import McpServer
from acp_tui.session.facts import Noticed
from acp_tui.wire.jsonrpc import HEAD_SIZE, VALUES_CAP, OversizedLine, Request, RequestId, Response, encode
from tests.rows import each_of


def unexpected(notice: Noticed) -> None:
    pytest.fail(str(notice))


def lines(*pieces: tuple[Direction, bytes], torn: bool = False, cap: int = 1000) -> list[tuple[str, object]]:
    cutter = TrafficLines(cap=cap)
    if torn:
        cutter.tear()
    return [(one.direction, one.line) for way, data in pieces for one in cutter.feed(TrafficChunk(0, way, data))]


def test_what_passed_a_moment_ago_is_there_and_the_oldest_goes() -> None:
    traffic = Traffic()
    traffic.begins()
    for number in range(100):
        traffic.passes("<-", b"%05d" % number + b"x" * 40_000)
    assert traffic.lost
    assert sum(len(piece.data) for piece in traffic.recent) <= KEPT
    assert traffic.recent[-1].data.startswith(b"00099")
    assert traffic.opening[0].direction == "start"
    assert traffic.opening[1].data.startswith(b"00000")


def test_onlookers_see_all_from_now_on_until_they_look_away() -> None:
    traffic, seen = Traffic(), list[bytes]()
    traffic.passes("->", b"before")
    look_away = traffic.subscribe(lambda piece: seen.append(piece.data))
    traffic.passes("<-", b"now")
    look_away()
    traffic.passes("->", b"after")
    assert seen == [b"now"]


def test_each_direction_is_cut_by_itself() -> None:
    assert lines(("<-", b"a"), ("->", b"b\n"), ("err", b"e\nf"), ("<-", b"c\nd\n")) == [
        ("->", b"b"),
        ("err", b"e"),
        ("<-", b"ac"),
        ("<-", b"d"),
    ]


def test_the_first_line_of_a_torn_stream_is_none_but_ours_are_whole() -> None:
    assert lines(("<-", b"half"), ("->", b"whole\n"), ("<-", b" a line\nb\n"), torn=True) == [
        ("->", b"whole"),
        ("<-", b"b"),
    ]


def test_another_process_begins_a_new_line() -> None:
    assert lines(("<-", b"half"), ("start", b""), ("<-", b"a\n")) == [("start", b""), ("<-", b"a")]


def test_a_line_without_measure_is_only_counted() -> None:
    refused = OversizedLine(2000, b"x" * HEAD_SIZE, "more than 1,000 bytes")
    assert lines(("<-", b"x" * 2000 + b"\nb\n")) == [("<-", refused), ("<-", b"b")]


def test_values_are_counted_but_on_standard_error() -> None:
    text = b"[]," * VALUES_CAP
    passed = [
        line for piece in ("<-", "->", "err") for line in TrafficLines().feed(TrafficChunk(0, piece, text + b"\n"))
    ]
    assert [type(line.line) for line in passed] == [OversizedLine, OversizedLine, bytes]


@each_of(
    ("line", "secret"),
    [
        ({"params": {"mcpServers": [{"env": [{"name": "A", "value": "hunter2"}]}]}}, True),
        ({"params": {"mcpServers": [{"headers": [{"name": "X-Whatever", "value": "hunter2"}]}]}}, True),
        ({"params": {"env": {"PATH": "hunter2"}}}, True),
        ({"result": {"action": "accept", "content": {"apiKey": "hunter2"}}}, True),
        ({"params": {"rawInput": {"headers": {"authorization": "Bearer hunter2"}}}}, True),
        ({"params": {"_meta": {"GITHUB_TOKEN": "hunter2"}}}, True),
        ({"params": {"variables": [{"name": "MY_PASSWORD", "value": "hunter2"}]}}, True),
        ({"mcpServers": [{"command": "x", "args": ["--api-key", "hunter2", "--token=hunter2"]}]}, True),
        ({"params": {"command": "curl", "args": ["-u", "me:hunter2"]}}, True),
        ({"params": {"update": {"content": {"text": "DB_PWD=hunter2, hunter2"}}}}, True),
        ({"params": {"update": {"content": {"text": "the key is hunter2"}}}}, False),
        ({"result": {"usage": {"totalTokens": 12, "inputTokens": "hunter2"}}}, False),
        ({"params": {"update": {"keyboard": "hunter2"}}}, False),
    ],
)
def test_secrets_are_taken_out_by_their_names(line: dict[str, object], secret: bool) -> None:
    data = json.dumps(line, indent=None).encode()
    clean = redact_line(data)
    assert (b"hunter2" not in clean) is secret
    assert (clean != data) is secret
    json.loads(clean)


@each_of("name", ["pin", "PIN", "userPin", "card_pin", "pinCode", "PIN2", "accessToken", "\\u0070in"])
def test_a_secret_is_found_however_its_name_is_written(name: str) -> None:
    line = f'{{"{name}":"hunter2"}}'.encode()
    assert b"hunter2" not in redact_line(line)


def test_names_of_variables_stay() -> None:
    line = redact_line(b'{"env":[{"name":"HOME","value":"/root"}],"on":true}')
    assert json.loads(line) == {"env": [{"name": "HOME", "value": "•••"}], "on": True}


@given(st.binary(max_size=60))
def test_whatever_it_is_redaction_bears_it(line: bytes) -> None:
    assert isinstance(redact_line(b'{"key": ' + line), bytes)
    assert redact_line(line.replace(b"k", b"x").replace(b"K", b"x")) is not None


FORM = {"name": {"type": "string"}, "pin": {"type": "integer"}, "model": {"enum": ["large"], "type": "string"}}
ENTERED: dict[str, Any] = {"name": "hunter2", "pin": 4711, "model": "large", "fast": True}


def asked(request_id: RequestId, **properties: object) -> bytes:
    params = {"mode": "form", "message": "?", "sessionId": "s", "requestedSchema": {"properties": properties}}
    return json.dumps({"id": request_id, "method": "elicitation/create", "params": params}).encode()


def answered(request_id: RequestId) -> bytes:
    return encode(Response(request_id, {"action": "accept", "content": ENTERED})).strip()


def content_of(line: bytes) -> object:
    return json.loads(line)["result"]["content"]


@pytest.mark.parametrize("request_id", [7, "a", 1.5, None])
def test_what_was_typed_into_a_form_is_taken_out_and_choices_stay(request_id: RequestId) -> None:
    answers = FormAnswers()
    line = asked(request_id, **FORM)
    assert answers.clean("<-", line) is line
    clean = answers.clean("->", answered(request_id))
    assert content_of(clean) == {
        "name": "(not recorded)",
        "pin": "(not recorded)",
        "model": "large",
        "fast": "(not recorded)",
    }
    assert json.loads(clean)["result"]["action"] == "accept"


def test_where_the_form_is_not_known_all_of_an_answer_is_taken_out() -> None:
    hidden = {name: value if value is True else "(not recorded)" for name, value in ENTERED.items()}
    answers = FormAnswers()
    assert content_of(answers.clean("->", answered(1))) == hidden
    answers.clean("<-", asked(2, **FORM).replace(b"elicitation/", b"elicitation\\/"))  # it may be written otherwise
    assert content_of(answers.clean("->", answered(2))) == hidden
    answers.clean("<-", asked(3, **FORM))
    answers.clean("start", b"")
    assert content_of(answers.clean("->", answered(3))) == hidden
    answers.clean("<-", asked(4, **FORM))
    answers.clean(
        "<-", asked(4, model={"type": "string", "enum": ["large"]})
    )  # which of both was answered is not known
    assert content_of(answers.clean("->", answered(4))) == hidden


def test_what_was_typed_into_input_options_is_taken_out() -> None:
    line = encode(Request(1, "session/new", {"cwd": "/", "configOptions": {"branch": "hunter2", "fast": True}}))
    clean = FormAnswers().clean("->", line)
    assert json.loads(clean)["params"] == {"cwd": "/", "configOptions": {"branch": "(not recorded)", "fast": True}}


@pytest.mark.parametrize(
    "line",
    [
        encode(Response(1, {"content": 'a file with {"action": "accept"} in it'})),
        encode(Response(1, {"action": "decline"})),
        encode(Request(1, "session/prompt", {"prompt": [{"type": "text", "text": '{"configOptions": {"a": "b"}}'}]})),
    ],
)
def test_other_lines_of_ours_stay_as_they_are(line: bytes) -> None:
    assert FormAnswers().clean("->", line) is line


def record(path: Path, *pieces: tuple[Direction, bytes]) -> list[tuple[str, bytes]]:
    traffic = Traffic()
    wire = WireRecord(path, traffic, unexpected)
    traffic.begins()
    for way, data in pieces:
        traffic.passes(way, data)
    wire.close()
    return [(line.direction, line.line) for line in read_wire_record(path) if line is not None]


def test_every_line_is_written_down_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    odd = b'{"a":"\xff \xed\xa0\x80 \\ud800 \xc3\xa9"}'
    written = record(path, ("->", b'{"id":0}\n'), ("err", b"log\n"), ("<-", odd + b"\nnoise"), ("<-", b"!\n"))
    assert written == [("start", b""), ("->", b'{"id":0}'), ("err", b"log"), ("<-", odd), ("<-", b"noise!")]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_private_key_on_standard_error_is_hidden_over_its_lines(tmp_path: Path) -> None:
    key = b"a\n-----BEGIN PRIVATE KEY-----\nhunter2\nhunter2\n-----END PRIVATE KEY-----\nb\n"
    written = [line for _, line in record(tmp_path / "wire", ("err", key[:40]), ("err", key[40:]))]
    assert b"hunter2" not in b"".join(written)
    assert (written[1], written[-1]) == (b"a", b"b")


def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("mine")
    with pytest.raises(UserFault, match="already"):
        WireRecord(path, Traffic(), unexpected)
    with pytest.raises(UserFault, match="cannot be written"):
        WireRecord(tmp_path / "no" / "folder", Traffic(), unexpected)
    assert path.read_text() == "mine"


def test_what_is_no_record_of_the_wire_is_said(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(b'{"kind": "record"}\n')
    with pytest.raises(UserFault, match="Not a trace"):
        read_wire_record(path)
    with pytest.raises(UserFault, match="cannot be read"):
        read_wire_record(tmp_path / "missing")


def test_of_a_torn_record_each_line_that_cannot_be_read_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "wire"
    record(path, ("<-", b"a\nb\n"))
    damaged = ['{"t": "x", "dir": "<-", "line": "c"}', '{"dir": "?"}', "", '{"dir": "<-"}', '{"dir": "<-", "line": 1}']
    path.write_bytes(path.read_bytes()[:-5] + "\n".join(["", *damaged, '{"t": 2, "di']).encode())
    lines = [line and line.line for line in read_wire_record(path)]
    assert lines == [b"", b"a", None, b"c", None, None, None, None, None]


def test_of_a_line_that_was_too_long_its_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "wire"
    record(path)
    path.write_bytes(path.read_bytes() + b'{"t": 1, "dir": "<-", "dropped": 7}\n{"t": 1, "dir": "<-", "dropped": -1}\n')
    assert read_wire_record(path)[1:] == [WireLine(1, "<-", b"", 7), None]


def test_a_disk_that_fails_is_said_once(tmp_path: Path) -> None:
    told: list[Noticed] = []
    traffic = Traffic()
    wire = WireRecord(tmp_path / "wire", traffic, told.append)
    wire._problem = "No space left on device"
    traffic.passes("<-", b"a\n")
    traffic.passes("<-", b"b\n")
    wire.close()
    assert [notice.title for notice in told] == ["The trace has stopped"]


def test_values_of_variables_are_left_out_of_what_describes_mcp_servers() -> None:
    server = {"name": "a", "command": "x", "args": ["k3y-1", "--k=k3y-1!"], "env": [{"name": "K", "value": "k3y-1"}]}
    request = {"method": "session/new", "params": {"cwd": "/k3y-1", "mcpServers": [server]}}
    line = json.dumps(request, separators=(",", ":")).encode()
    lines = TrafficLines(put_in=("k3y-1", "k3y"))
    (passed,) = lines.feed(TrafficChunk(0, "->", line + b"\n"))
    assert isinstance(passed.line, bytes)
    params = json.loads(passed.line)["params"]
    hidden = {"name": "a", "command": "x", "args": ["•••", "--k=•••!"], "env": [{"name": "K", "value": "•••"}]}
    assert params == {"cwd": "/k3y-1", "mcpServers": [hidden]}
    told: tuple[tuple[Direction, bytes], ...] = (("<-", line), ("->", line.replace(b"mcpServers", b"mcp")))
    for direction, other in told:
        assert [one.line for one in lines.feed(TrafficChunk(0, direction, other + b"\n"))] == [other]


@pytest.mark.parametrize("way", ["record", "inspector"])
def test_the_traffic_of_a_client_knows_the_values_of_variables(tmp_path: Path, way: str) -> None:
    server = McpServer("a", command="x", args=("k3y-1",), put_in=("k3y-1",))
    traffic = Client(LaunchPlan(AgentCommand(("agent",)), tmp_path, mcp_servers=(server,))).traffic
    line = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"mcpServers":[{"args":["k3y-1"]}]}}\n'
    if way == "record":
        record = WireRecord(tmp_path / "wire.jsonl", traffic, unexpected)
        traffic.passes("->", line)
        record.close()
        told = (tmp_path / "wire.jsonl").read_text()
    else:
        inspection = Inspection(traffic)
        traffic.passes("->", line)
        inspection.work(lambda: False)
        told = "".join(map(repr, inspection.messages))
    assert "session/new" in told
    assert "k3y-1" not in told
