"""Names that ask for a secret: password, API key, one-time code. Decided by words, not by substrings.

Two questions: a field that a user types into is masked in doubt, members of protocol messages (`code` of an error,
`totalTokens`) are hidden only where their name leaves no doubt.
"""

import re
import unicodedata
from functools import lru_cache

NOT_RECORDED = "(not recorded)"
"""Stands in for what a user typed, wherever that is written down."""
CONCEALED = "•••"
"""Stands in for a secret on the screen, and for one that is found by its name in a message."""
LONGEST = 2_000  # characters; of a longer name or text it is not known what it asks for

HEADERS = frozenset({"authorization", "authorisation", "cookie", "set-cookie", "bearer"})
"""Names whose values are hidden beside those that `is_secret` knows."""

# Texts, which `re` compiles with their first use (4 ms): nobody asks while a start goes on.
_CAMEL = r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_WORD = r"[^\W_]+"

_MEMBER = (
    r"(?:^|[^a-z])(?:pass(?:word|phrase|wd|code)?|secret|token|pin|t?otp|cvv|cvc|credentials?|api[^a-z]*key"
    r"|private[^a-z]*key|key)(?:[^a-z]|$)"
    r"|(?:password|passwd|passphrase|passcode|secret|credential|apikey)s?(?:[^a-z]|$)"
    r"|(?:auth|access|bearer|refresh|api|csrf)token(?:[^a-z]|$)|(?:access|secret|private|auth|encryption)key(?:[^a-z]|$)"
)

# What makes a field one for a secret: a word that is one of these or its plural, that holds one of the next, or that
# ends with one of those after it; some secrets have names of several words.
_IS = (
    r"(?:pass|pw|pwd|psw|pswd|psk|secret|token|key|pin|otp|totp|hotp|mfa|tfa|m?tan|pat|code|cvv|cvc|csc|cvn|cred|auth|oauth|authn"
    r"|authori[sz]ation|authentication|bearer|cookie|jwt|ssn|mnemonic|clave|contrase[ñn]a|senha|has[łl]o|heslo"
    r"|wachtwoord|l[öo]senord|salasana|jelsz[óo]|[şs]ifre|geheimnis|schl(?:ü|ue)ssel)s?"
)
_HOLDS = (
    r"passw(?:or[dt]|d)|passphras|passcode|passkey|kennwort|motdepasse|credential|secret(?!ar)|token(?!i[sz])|apikey|2fa"
    r"|парол|секрет|токен|密[码碼钥鑰]|口令|令牌|パスワード|暗証|トークン|비밀번호|암호|토큰"
)
_ENDS = (
    r"(?:pass|pw|pwd|otp|psk|cvv|cvc|key|code|(?:user|card|sim|bank|login|account|device|phone|my)pin"
    r"|(?:git|hub|lab|gh|my)pat)s?$"
)
_ENDS_HARMLESSLY = (
    r"(?:by|com|encom|tres|sur|over|under|out|low|high|band|first|single|multi)pass"
    r"|(?:mon|don|tur|joc|hoc|whis|hot|turn|lac|public|primary|foreign|arrow|short)keys?"
    r"|(?:en|de|re|trans|bar|post|zip|op|vs|uni|byte|source|geo|country|language|lang|area|qr|exit|error|status"
    r"|colou?r|currency|pseudo|region|g|x)codes?"
)
_PHRASES = (
    r"\b(?:seed|recovery|backup) phrase|\bcard ?(?:number|no|nr)\b|\bsocial security|\bmot de passe|\bsecurity answer"
    r"|\bone time\b"
)
_HARMLESS = (
    r"\b(?:zip|post|postal|country|language|lang|locale|area|region|exit|error|status|source|colou?r|currency|airport"
    r"|dial|dialing|vs|claude|qr|http|iso|state) codes?\b"
    r"|\bcodes? (?:style|review|reviewer|owners?|blocks?|language|formatter|path|files?|folder|editor|quality|coverage"
    r"|base|generation|changes?|snippets?|fences?|actions?)\b"
    r"|\b(?:public|primary|foreign|sort|partition|hot|arrow|shortcut|modifier) keys?\b"
    r"|\bkey (?:bindings?|board|maps?|words?)\b"
    r"|\b(?:max|min|maximum|minimum|total|input|output|context) tokens?\b|\btokens per\b"
    r"|\b(?:tokens?|keys?|secrets?|passwords?|pins?|codes?|auth|authentication|cookies?)"
    r" (?:type|kind|count|length|limit|budget|policy|provider|manager|method|mode|scheme|expiry|ttl|lifetime)\b"
)
_PROSE = (
    r"passw(?:or[dt]|d)|passphrase|passcode|\bapi key|\b(?:access|auth|bearer|secret|private) (?:token|key)"
    r"|\b(?:verification|security|confirmation|access|login|digit|one time) (?:code|pin)|\byour (?:pin|token|secret)\b"
)


_ASSIGNED = r"""(?P<name>[\w-]{2,60})(?P<to>["']?\s*[=:]\s*["']?)(?P<value>[^\s"',;]+)"""
_FLAG = r"(?P<name>--?[a-zA-Z][\w-]{1,60})(?P<to>\s+)(?P<value>[^\s-]\S*)"
_BEARER = r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"
_PRIVATE_KEY = r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|\Z)"


def is_secret(name: str) -> bool:
    """Whether the name of a variable or of a member of a message says so beyond doubt: `apiKey`, `GITHUB_TOKEN`."""
    return re.search(_MEMBER, re.sub(_CAMEL, "_", name[:LONGEST]).lower()) is not None


def without_secrets(text: str) -> str:
    """Free text without private keys and what names of secrets have: `NAME=value`, `name: value`, `--name value`."""

    def hide(match: re.Match[str]) -> str:
        secret = is_secret(match["name"]) or match["name"].lower() in HEADERS
        return f"{match['name']}{match['to']}{CONCEALED}" if secret else match[0]

    text = re.sub(_PRIVATE_KEY, rf"\1 {CONCEALED} \2", text, flags=re.DOTALL)
    text = re.sub(_BEARER, rf"\1 {CONCEALED}", text)
    return re.sub(_FLAG, hide, re.sub(_ASSIGNED, hide, text))


@lru_cache(maxsize=1024)
def asks_for_secret(text: str) -> bool:
    """Whether the name, title or format of a field asks for one; in doubt it does."""
    as_written, words = re.findall(_WORD, _plain(text).casefold()), _words(text)
    said = " ".join(words)
    harmless = re.sub(_HARMLESS, " ", said)
    if len(text) > LONGEST or re.search(_PHRASES, said) or re.search(_HOLDS, harmless):
        return True
    if harmless != said:  # the other words count
        return any(map(_is_one, harmless.split()))
    return re.fullmatch(_IS, "".join(words)) is not None or any(map(_is_one, {*words, *as_written}))


def speaks_of_secret(prose: str) -> bool:
    """Whether sentences name one. `key` and `code` have many meanings there: only what is plain counts."""
    return re.search(_PROSE, " ".join(_words(prose))) is not None


def _is_one(word: str) -> bool:
    word = word.strip("0123456789")
    if re.fullmatch(_IS, word):
        return True
    return re.search(_ENDS, word) is not None and re.fullmatch(_ENDS_HARMLESSLY, word) is None


def _words(text: str) -> list[str]:
    return re.findall(_WORD, re.sub(_CAMEL, " ", _plain(text)).casefold())


def _plain(text: str) -> str:
    """Full-width letters as plain ones, and none that cannot be seen."""
    text = unicodedata.normalize("NFKC", text[:LONGEST])
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
