"""Names that ask for a secret: password, API key, one-time code. Decided by words, not by substrings.

Two questions: a field that a user types into is masked in doubt, what is said (`code` of an error, `totalTokens`) is
hidden only if its name leaves no doubt, or its value looks like one. `secret_masking` finds the values.
"""

import re
import unicodedata
from functools import lru_cache

NOT_RECORDED = "(not recorded)"
"""Stands in for what a user typed, wherever that is written down."""
CONCEALED = "•••"
"""Stands in for a secret on the screen, and for one that is found by its name in a message."""
LONGEST = 2_000  # characters; of a longer name or text it is not known what it asks for

# Texts, which `re` compiles with their first use (4 ms): nobody asks while a start goes on.
_CAMEL = r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_WORD = r"[^\W_]+"

# What makes a field one for a secret: a word that is one of these or its plural, that holds one of the next, or that
# ends with one of those after it; some secrets have names of several words.
_IS = (
    r"(?:pass|pw|pwd|psw|pswd|psk|secret|token|key|pin|otp|totp|hotp|mfa|tfa|m?tan|pat|code|cvv|cvc|csc|cvn|cred|auth|oauth|authn"
    r"|authori[sz]ation|authentication|bearer|cookie|jwt|ssn|mnemonic|clave|contrase[ñn]a|senha|has[łl]o|heslo"
    r"|wachtwoord|l[öo]senord|salasana|jelsz[óo]|[şs]ifre|geheimnis|schl(?:ü|ue)ssel)s?"
)
_PLAIN = (
    r"passw(?:or[dt]|d)|passphras|passcode|kennwort|motdepasse|contraseñ|senha|credential|secret(?!ar)|apikey"
    r"|парол|секрет|токен|密[码碼钥鑰]|口令|令牌|パスワード|暗証|トークン|비밀번호|암호|토큰"
)
_HOLDS = rf"{_PLAIN}|token(?!i[sz])|passkey|2fa"
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


# What makes a name one beyond doubt, and what such a name is about, if it goes on, that is no secret itself.
_SURE = (
    rf"{_PLAIN}|token\d*\b|cookies?$|\b(?:pin|[th]?otp|cvv|cvc|jwt|ssn|mnemonic|creds?|authori[sz]ation|bearer)\d*\b"
    r"|\b(?:api|access|secret|private|auth|encryption|signing|account|master|shared|storage|deploy|ssh) ?keys?\b"
    r"|\w (?:pass|pw|pwd|pat|auth)\d*$|\b(?:db|root|user|my|pg|admin|mail|smtp|ftp)(?:pass|pw|pwd)\b"
    r"|\b(?:git|hub|lab|gh)(?:hub|lab)?pat\b"
)
_ABOUT = (
    rf"\b(?:\w*(?:{_PLAIN})s?|tokens?|(?:api|access|secret|private) keys?|cookies?|pins?)"
    r" (?:fields?|names?|labels?|hints?|placeholder|prompt|page|form|files?|path|dir|url|uri|endpoint|usage|cost|price"
    r"|window|rate|size|index|position|expires|age|helper|store|strength|rules?|version|required|enabled|types?|kind|count|length"
    r"|limits?|budget|policy|providers?|manager|method|mode|scheme|expiry|ttl|lifetime)\b|\btokens? ids?\b"
    r"|\b(?:eos|bos|pad|sep|unk|cls|special|stop|max|min|total|input|output) tokens?\b"
)
_UNSURE = r"(?:^|\s)(?:keys?|auth|tokens)$"
_FOLDER = re.compile(r"[~./\\$]|[A-Za-z]:")
_LONG = re.compile(r"(?=\S{0,40}\d)[^\s\"',;(){}]{12}")  # what is behind a name of many meanings if it is a secret


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether the name of a variable or of a member of a message says so beyond doubt: `apiKey`, `GITHUB_TOKEN`."""
    said = re.sub(_ABOUT, " ", re.sub(_HARMLESS, " ", _said(name)))
    return re.search(_SURE, said) is not None or (name.isupper() and said.endswith((" key", " keys")))


@lru_cache(maxsize=4096)
def _said(name: str) -> str:
    return " ".join(_words(name))


def hides(name: str, value: str) -> bool:
    """Whether a value behind a name is a secret. `key`, `auth`, `pwd` have other meanings: there the value decides."""
    if is_secret(name):
        return True
    match _said(name):
        case "pwd":  # of a shell it is a folder
            return _FOLDER.match(value) is None
        case "pass":  # of a test it is an outcome
            return not name.isupper() and re.match(r"\d+\b", value) is None
        case "pat":  # of a person it is a name
            return name.isupper()
    return _is_unsure(name) and _LONG.match(value) is not None


@lru_cache(maxsize=4096)
def _is_unsure(name: str) -> bool:
    return re.search(_UNSURE, re.sub(_HARMLESS, " ", _said(name))) is not None


@lru_cache(maxsize=4096)
def may_name_secret(name: str) -> bool:
    """Whether a value behind a name has to be looked at."""
    return is_secret(name) or option_asks(name) or _is_unsure(name)


@lru_cache(maxsize=4096)
def option_asks(name: str) -> bool:
    """Whether an option of a command (`--key`) or a parameter of an address has one as its value."""
    return is_secret(name) or re.search(r"(?:^|\s)(?:key|auth|pass|pwd|pw|pat)$", _said(name)) is not None


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
