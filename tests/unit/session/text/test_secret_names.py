"""Which fields ask for a secret, and what of an answer may be written down."""

from typing import Any

import pytest

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from acp_tui.session.form_fields import Field, fields_of, recordable
from acp_tui.session.text.secret_names import LONGEST, NOT_RECORDED, asks_for_secret, is_secret
from tests.rows import each_of

SECRET = """password,Password,passwords,user_password,dbpassword,passwordAgain,passwd,passphrase,passcode,pass,pwd
dbpass,rootpw,smsTAN,tan,userPwd,db_pwd,secret,secrets,clientSecret,client-secret,token,tokens,authtoken,accessToken,access_tokens,GITHUB_TOKEN
key,keys,apiKey,API_KEY,APIKey,apikeys,openai key,openaikey,accesskey,privateKey,sshKey,licensekey,passkey,pin,PIN,pins
userPIN,userpin,cardPin,PIN2,P.I.N.,otp,OTP,OTPs,smsotp,totp,mfa,2fa,mfa_code,2FACode,pat,githubPat,gitlabpat,code
codes,verificationCode,securitycode,passCode,cvv,CVV2,cvc,cred,creds,credentials,auth,oauth,bearer,cookie,jwt,ssn
Zip code and PIN,Recovery phrase,Card number,One-time code,Passwort,Kennwort,Contraseña,mot de passe,motdepasse,пароль
密码,登录密码,パスワード,暗証番号,비밀번호,şifre,ｐａｓｓｗｏｒｄ,pass\u200bword"""
HARMLESS = """keyboard,monkey,Turkey,hotkey,keyword,keybindings,Key bindings,author,authority,authMethod,compass
passenger,bypass,passive,encoding,encode,barcode,postcode,zipcode,Zip code,countryCode,Country code,languageCode
exitCode,sourceCode,codeStyle,Code style,primaryKey,publicKey,pinned,spinner,tokenizer,tokenization,maxTokens,Max tokens
max_output_tokens,tokenLimit,Tokens per minute,Token type,secretary,secretariat,pattern,path,patch,name,branch,typing
description,message,mapping,shopping,opinion,accessibility,lowpass,overpass,tangent,standard"""


def names(table: str) -> list[str]:
    return table.replace("\n", ",").split(",")


@each_of("name", [*names(SECRET), "x" * (LONGEST + 1)])
def test_names_of_secrets(name: str) -> None:
    assert asks_for_secret(name)


@each_of("name", names(HARMLESS))
def test_names_of_no_secrets(name: str) -> None:
    assert not asks_for_secret(name)


@pytest.mark.parametrize("name", ["code", "exitCode", "totalTokens", "pwd", "path", "auth", "cookieJar"])
def test_members_of_messages_need_plainer_names(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize(
    "name", ["dbpassword", "authtoken", "accesskey", "passwords", "otp", "cardCvv", "clientsecret"]
)
def test_joined_names_of_members_are_plain(name: str) -> None:
    assert is_secret(name)


def schema_of(**properties: Any) -> ElicitationSchema:
    return read(ElicitationSchema, {"properties": properties})


def field_of(name: str = "x", **rules: Any) -> Field:
    (field,) = fields_of(schema_of(**{name: {"type": "string", **rules}}))
    return field


def test_name_title_and_format_tell_a_secret_and_so_does_a_plain_description() -> None:
    assert field_of("pwd").secret
    assert field_of(title="Access token").secret
    assert field_of(format="password").secret
    assert field_of(type="integer", format="one-time-code").secret
    assert field_of(description="Enter your password, please").secret
    assert not field_of(description="Which key points the code review shall have").secret


def test_what_is_typed_is_masked_and_choices_are_not() -> None:
    assert field_of("pin", type="integer").masked
    assert field_of("otp", type="number").masked
    assert not field_of("token", enum=["a"]).masked
    assert not field_of("password", type="boolean").masked


EVERY_KIND: dict[str, Any] = {
    "text": {"type": "string", "default": "typed"},
    "mail": {"type": "string", "format": "email"},
    "count": {"type": "integer"},
    "share": {"type": "number"},
    "pin": {"type": "integer"},
    "fast": {"type": "boolean"},
    "model": {"type": "string", "enum": ["large"]},
    "tools": {"type": "array", "items": {"anyOf": [{"const": "read", "title": "Read"}]}},
    "tokenFrom": {"type": "string", "enum": ["typed"]},
    "odd": {"type": "colour"},
}


def test_only_what_was_not_typed_may_be_written_down() -> None:
    entered: dict[str, Any] = {
        "text": "typed", "mail": "typed@example.com", "count": 3, "share": 0.5, "pin": 1234, "fast": True,
        "model": "large", "tools": ["read"], "tokenFrom": "typed", "odd": {"typed": 1}, "unheard of": "typed",
    }  # fmt: skip
    kept = recordable(schema_of(**EVERY_KIND), entered, "Who are you?")
    assert {name: value for name, value in kept.items() if value != NOT_RECORDED} == {
        "count": 3, "share": 0.5, "fast": True, "model": "large", "tools": ["read"],
    }  # fmt: skip
    assert kept.keys() == entered.keys()
    assert recordable(schema_of(**EVERY_KIND), kept) == kept


def test_a_value_that_its_field_could_not_have_is_not_kept() -> None:
    entered: dict[str, Any] = {"count": "typed", "share": True, "fast": "typed", "model": "typed", "tools": ["typed"]}
    assert set(recordable(schema_of(**EVERY_KIND), entered).values()) == {NOT_RECORDED}


@pytest.mark.parametrize("message", ["Enter the 6-digit code that we sent", "Your PIN?", "How many? " + "x" * LONGEST])
def test_a_number_is_not_kept_where_the_question_may_ask_for_a_secret(message: str) -> None:
    schema = schema_of(value={"type": "integer"})
    assert recordable(schema, {"value": 123456}, message) == {"value": NOT_RECORDED}
    assert recordable(schema, {"value": 123456}, "How many rows?") == {"value": 123456}
    schema = schema_of(value={"type": "integer", "description": "The code"})
    assert recordable(schema, {"value": 123456}) == {"value": NOT_RECORDED}


def test_of_a_form_that_is_not_known_only_yes_and_no_are_kept() -> None:
    assert recordable(None, {"a": "typed", "b": 1, "c": True}) == {"a": NOT_RECORDED, "b": NOT_RECORDED, "c": True}
