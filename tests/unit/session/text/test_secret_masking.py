"""Which values are hidden in texts, commands and data, to their very end, and which stay."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.records.redaction import redact_line
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.digest import digest, transcript
from acp_tui.session.export import to_markdown
from acp_tui.session.export_formats import EXPORTS
from acp_tui.session.text.secret_masking import masked_data, masked_words, without_secrets
from acp_tui.session.text.secret_names import asks_for_secret, is_secret
from tests.rows import each_of
from tests.unit.session.speech import running, say, text, told, tool, user

# `§` stands for a value of several words, `¤` for one of one word. What follows `⇒` is told where more is hidden.
LINES = r"""password = "§"; b
password = '§', b
password: `§` b
x = f(password="§", b=1)
{"clientSecret": "§", "b": 1}
{\"password\":\"§\",\"b\":1}
{"password":"§ \"§\" §","b":1} ⇒ {"password":"•••","b":1}
password = "§" + "§" ⇒ password = "•••"
password = ("§" "§") ⇒ password = (•••)
export A_SECRET='§'
export A_SECRET='§'"§" b=1 ⇒ export A_SECRET='•••" b=1
$config['password'] = '§';
'password' => '§', 'b' => 1
Password := "§"
let token: &str = "§";
private password: string = "§";
String password = "§";
password = b"§"
<a password="§" user="b">
<add key="Password" value="§"/>
{"name": "DB_PASSWORD", "value": "§"}
os.environ["DB_PASSWORD"] = "§"
setItem("token", "§")
passwords = ["§", "§"] ⇒ passwords = [•••]
ALTER USER b WITH PASSWORD '§';
CREATE USER b IDENTIFIED BY '§';
curl -H 'X-Api-Key: §' https://b
curl -H "Authorization: Bearer §" https://b ⇒ curl -H "Authorization: •••" https://b
curl -u 'user:§' https://b
curl -u user:"§" https://b
login --password "§" b
["login", "--password", "§", "b"]
password: §
GH_PAT=§
DB_PWD=§
PAT=§
pwd: §
export A_SECRET=§
npm_config__authToken=§
//registry.npmjs.org/:_authToken=§
x-api-key: §
spring.datasource.password=§
aws_secret_access_key = §
ENV DB_PASSWORD §
git config --global user.password §
API key: §
Cookie: a=§; c=§ ⇒ Cookie: •••
Set-Cookie: a=§; Path=/ ⇒ Set-Cookie: •••
Authorization: Basic § ⇒ Authorization: •••
Authorization: token § ⇒ Authorization: •••
> authorization: Bearer § ⇒ > authorization: •••
Пароль: §
password：§
login --password ¤ b
login --token=¤ b
login --db-password=¤ b
cat > .netrc ⏎ machine b ⏎ login b ⏎ password ¤
sshpass -p ¤ ssh b
mysql -u root -p¤ b
curl -u user:¤ https://b
https://b/x?token=¤&b=1
https://b/x?b=1&key=¤
postgres://user:¤@b/db ⇒ postgres://•••@b/db
https://¤@b/x
_auth=¤
machine b login b password ¤
Connection: bearer ¤
<password>§</password><b>1</b>
<ns:password a="1"><![CDATA[§<b>§]]></ns:password> ⇒ <ns:password a="1"><![CDATA[•••]]></ns:password>"""
BLOCKS = (
    ("password: |\n  §\n\n  ¤\nb: 1", "password: |\n  •••\nb: 1"),
    ("- password: >-\n    §\n    §\n  b: 1", "- password: >-\n    •••\n  b: 1"),
    ("secrets:\n  §\n  - ¤\nb: 1", "secrets:\n  •••\nb: 1"),
    ("password: §\n  §\nb: 1", "password: •••\nb: 1"),
    ("+  password: |\n+    §\n+  b: 1", "+  password: |\n•••\n+  b: 1"),
    ("   9→  password: |\n  10→    §\n  11→  b: 1", "   9→  password: |\n  •••\n  11→  b: 1"),
    ("machine b\n  login b\n  password ¤\nmachine c", "machine b\n  login b\n  password •••\nmachine c"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\n§\n¤\n-----END RSA PRIVATE KEY-----\nb",
        "-----BEGIN RSA PRIVATE KEY-----•••-----END RSA PRIVATE KEY-----\nb",
    ),
    ('password = """§\n§"""\nb = 1', 'password = """•••"""\nb = 1'),
    ("password = (\n    \"§\"\n    '§'\n)\nb = 1", "password = (•••)\nb = 1"),
    ("a.password=§\\\n  §\nb=1", "a.password=•••\nb=1"),
    ("- name: DB_PASSWORD\n  value: §\nb: 1", "- name: DB_PASSWORD\n  value: •••\nb: 1"),
)
FORMED = """eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmVk sk-proj-abcdefgh12345678 ghp_abcdefghijklmnop1234
github_pat_11ABCDEFG0abcdefgh glpat-abcdefgh12345678 xoxb-123456789012-abcdefgh AKIAIOSFODNN7EXAMPLE
AIzaSyA1234567890abcdefghij hf_abcdefghijklmnop1234 npm_abcdefghijklmnop1234"""
STAYS = """token_count = 5
tokens: 1234
max_tokens: 5, x
"totalTokens": 12
the password was wrong
author: Ann
pattern = x
compat: b
keyboard: x
secretary: Ann
tokenizer = x
password_field = Input()
password: string;
def f(password: str, token: str = None) -> int:
token: true
if (!token) {
if token:\\n    pass
class Token:\\n    pass
Unexpected token '<'
PWD=/home/x
--- PASS: TestX (0.1s)
Pat: hello
keys: a, b
sorted(key=lambda x: x)
{"key": "title"}
primary_key = True
the key is hunter2
cookies: 3
Tokens: 1.2k in, 3 out
Basic Authentication
Map<string, Token> x
Vec<Token>
docker run -u 1000:1000 b
git@github.com:a/b
ssh://git@b/x
https://b:80/@scope/x
task-management-overview-page
--max-tokens 5 --key-file x"""


@each_of(
    ("form", "shown"),
    [*(line.partition(" ⇒ ")[::2] for line in LINES.split("\n")), *BLOCKS],
)
def test_a_value_is_hidden_to_its_end(form: str, shown: str) -> None:
    filled = form.replace("§", "correct, horse; batt3ry staple").replace("¤", "hunter2-x.y=")
    assert without_secrets(filled) == (shown or form.replace("§", "•••").replace("¤", "•••"))


@each_of("secret", FORMED.split())
def test_a_value_of_a_known_form_needs_no_name(secret: str) -> None:
    assert without_secrets(f"it is {secret}, again") == "it is •••, again"


@each_of("line", STAYS.split("\n"))
def test_what_only_sounds_like_a_secret_stays(line: str) -> None:
    words = line.replace("\\n", "\n")
    assert without_secrets(words) == words


@each_of(
    ("words", "shown"),
    [
        (["--key", "a", "b"], ["--key", "•••", "b"]),
        (["--key=a", "b"], ["--key=•••", "b"]),
        (["--key", "--other", "a"], ["--key", "--other", "a"]),
        (["--password", "a b, c"], ["--password", "•••"]),
        (["-p", "a", "--max-tokens", "5"], ["-p", "a", "--max-tokens", "5"]),
        (["https://u:p@h/x", "https://h/x?a=1", "what?key=1"], ["https://•••@h/x", "https://h/x?a=1", "what?key=1"]),
        (["env", "API_KEY=a b, c", "HOME=/x"], ["env", "API_KEY=•••", "HOME=/x"]),
        (["curl", "-u", "user:a b", "-H", "X-Api-Key: a b"], ["curl", "-u", "user:•••", "-H", "X-Api-Key: •••"]),
        (["sh", "-c", "login --token a && b"], ["sh", "-c", "login --token ••• && b"]),
        (["-Ddb.password=a"], ["-Ddb.password=•••"]),
    ],
)
def test_a_command_is_shown_without_secrets(words: list[str], shown: list[str]) -> None:
    assert masked_words(words) == shown
    assert masked_data({"args": words}) == {"args": shown}


def test_a_secret_that_begins_before_what_is_shown_is_hidden_too() -> None:
    output = "password: |\n" + "  hunter2 hunter2\n" * 5 + "after"
    assert without_secrets(output, output.index("hunter2\nafter")) == "•••\nafter"


NAMES = """password passwd DB_PWD GH_PAT npm_config__authToken x-api-key clientSecret Authorization Cookie Set-Cookie
credential private_key API_KEY access_token A_SECRET accessToken refresh-token PGPASSWORD passphrase userPin"""
# `N` stands for a name, `V` for a value: in quotes, which it escapes, and to the end of a line or block.
QUOTED = """N = "V"
x(N="V", b=1)
{"N": "V", "b": 1}
"N" => "V",
N := "V"
export N="V"
<a N="V">
["N"] = "V"
login --N "V" b
f("N", "V")
{"name": "N", "value": "V"}
N: "V"
let N: &str = "V"
N = ["V", "V"]
N = '''V'''
N = "V" + "V\""""
PLAIN = """N: V
N=V
N = V
export N=V
ENV N V
> N: V
- N: V
N: |\\n  V\\n  V
  N: >-\\n    V\\n\\n    V
N:\\n  V
N: V\\n  V
+N: |\\n+  V
12→N: |\\n13→  V"""
LETTERS = "QZXJVK7935"
pieces = st.text(LETTERS, min_size=4, max_size=9)
between = st.sampled_from([" ", ", ", "'", '"', "`", " '", '" ', "; ", "\\", " = ", ": ", "#", "$", "{", ")", "é"])
values = st.lists(st.tuples(pieces, between), min_size=1, max_size=5).map(
    lambda parts: "".join(map("".join, parts)) + "QZ7X"
)


def survives(value: str, shown: str) -> bool:
    """Whether four letters of a value in a row are left."""
    runs = (value[at : at + 4] for at in range(len(value) - 3))
    return any(run in shown for run in runs if set(run) <= set(LETTERS))


def ways_out(words: str) -> dict[str, str]:
    """A text as a message and as a tool's output in all that leaves the program."""
    one = told()
    output = [ContentItem(content=text(words))]
    one.apply(user(words), running(), tool("t", title="x", content=output, raw_output={"text": words}), say(words))
    line = json.dumps({"method": "session/update", "params": {"content": {"text": words}, "list": [words]}})
    return {
        "digest": digest(one.session),
        "transcript": transcript(one.session, outputs=True),
        "Markdown": to_markdown(one.session),
        "JSON": EXPORTS["json"].render(one.session),
        "record": redact_line(line.encode()).decode(),
        "record of standard error": redact_line(words.encode()).decode(),
        "command": "\n".join(masked_words(["x", words])),
    }


@given(st.sampled_from(NAMES.split()), st.sampled_from([*QUOTED.split("\n"), *PLAIN.split("\n")]), values)
def test_no_piece_of_a_secret_leaves_the_program(name: str, form: str, value: str) -> None:
    written = value.replace("\\", "\\\\").replace('"', '\\"') if form in QUOTED else value
    written = written.replace("'", "_") if "'''" in form else written
    lines = re.sub(r"\b[NV]\b", lambda sign: {"N": name, "V": written}[sign[0]], form.replace("\\n", "\n"))
    shown = ways_out(f"Look:\n{lines}\nnext = 1")
    assert [way for way, text in shown.items() if survives(value, text)] == []


@each_of("name", NAMES.split())
def test_a_field_of_such_a_name_is_masked_too(name: str) -> None:
    assert is_secret(name)
    assert asks_for_secret(name)


@given(st.sampled_from(NAMES.split()), values)
def test_no_piece_of_a_secret_is_in_a_command(name: str, value: str) -> None:
    words = ["x", f"--{name}", value, f"--{name}={value}", f"{name}={value}", "-H", f"{name}: {value}"]
    line = json.dumps({"params": {"mcpServers": [{"command": "x", "args": words}]}}).encode()
    assert not survives(value, " ".join(masked_words(words)))
    assert not survives(value, redact_line(line).decode())
