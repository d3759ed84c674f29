"""Whose a slash command's name is, what a line asks for, and what is found by some letters."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, CommandInput
from acp_tui.ui.commands.registry import COMMANDS, WINNING
from acp_tui.views.command_index import SlashCommands, SlashOffer, read_line
from tests.rows import each_of


def slash(*agent: str, prompts: Sequence[str] = ()) -> SlashCommands:
    return SlashCommands(
        COMMANDS,
        [AvailableCommand(name=name) for name in agent],
        [OwnPrompt(name, Path(), "Do it") for name in prompts],
    )


def names(commands: SlashCommands, query: str) -> list[str]:
    return [offer.name for offer in commands.found(query)]


def owner(offer: SlashOffer | None) -> str:
    return offer.owner if offer is not None else "nobody"


SESSIONS = ["new", "clear", "sessions", "session", "resume", "continue", "rename", "agents", "add-dir", "tasks"]
OPTIONS = ["model", "models", "mode", "modes", "effort", "options", "theme", "themes", "login", "logout"]
OTHERS = ["export", "copy", "find", "keys", "help", "quit", "exit", "q", "details", "editor"]


@each_of("name", [*SESSIONS, *OPTIONS, *OTHERS])
def test_the_names_that_hands_type_are_there(name: str) -> None:
    assert owner(slash().named(name)) == "client"


@each_of("name", ["permissions", "approvals"])
def test_permissions_are_the_clients_and_those_of_an_agent_stay_in_reach(name: str) -> None:
    offer = slash(name).named(name)
    assert offer is not None
    assert offer.command is not None
    assert offer.command.id == "show_permissions"
    assert owner(slash(name).named(f"agent:{name}")) == "agent"


def test_no_two_commands_of_ours_have_one_name() -> None:
    every = [name for command in COMMANDS for name in command.slash]
    assert len(every) == len(set(every))


@each_of("name", ["help", "quit", "exit", "new", "resume", "sessions", "model", "mode", "theme", "keys"])
def test_these_names_are_the_clients_whatever_the_agent_has(name: str) -> None:
    commands = slash(name, prompts=[name])
    assert owner(commands.named(name)) == "client"
    assert owner(commands.named(f"agent:{name}")) == "agent"
    assert owner(commands.named(f"prompt:{name}")) == "yours"
    assert name in WINNING


@each_of("name", ["clear", "continue", "copy", "export", "find", "rename", "login", "effort", "q"])
def test_other_names_are_the_agents_where_it_has_them(name: str) -> None:
    ours = name in WINNING
    assert owner(slash(name).named(name)) == ("client" if ours else "agent")
    assert owner(slash(name).named(f"client:{name}")) == "client"
    assert owner(slash().named(name)) == "client"


def test_an_own_prompt_comes_before_the_agents_command_and_what_does_not_win_of_ours() -> None:
    commands = slash("review", "copy", prompts=["review", "copy"])
    assert [owner(commands.named(name)) for name in ("review", "copy", "agent:copy", "client:copy")] == [
        "yours",
        "yours",
        "agent",
        "client",
    ]


def test_a_projects_prompt_is_marked_as_such() -> None:
    theirs = OwnPrompt("fix", Path(), "Fix it", project=Path("/project"))
    assert owner(SlashCommands(COMMANDS, (), [theirs]).named("fix")) == "project"


def test_what_users_look_for_first_is_listed_first() -> None:
    rows = [row.name for row in SlashCommands(COMMANDS).rows if row.owner == "client"]
    assert set(rows[:9]) == {"new", "sessions", "mode", "permissions", "model", "theme", "settings", "help", "quit"}


def test_what_is_hidden_is_listed_by_its_other_name_behind_all_that_is_not() -> None:
    commands = slash("quit", "copy", "work")
    listed = names(commands, "")
    assert {"quit", "agent:quit", "copy", "client:copy", "work"} <= set(listed)
    assert listed.index("agent:quit") > max(map(listed.index, ("quit", "copy", "work")))
    assert len(listed) == len(set(listed))
    assert all(commands.named(offer.name) is not None for offer in commands.rows if offer.can_run)


def test_a_name_with_the_word_of_a_side_is_never_another_sides() -> None:
    commands = slash("client:quit", "agent:work", "work")
    assert owner(commands.named("client:quit")) == "client"
    assert owner(commands.named("agent:client:quit")) == "agent"
    work = commands.named("agent:work")
    assert work is not None
    assert work.agent_name == "work"


@each_of(
    ("text", "read"),
    [
        ("/plan", ("plan", "")),
        ("/plan  the work ", ("plan", "the work")),
        ("/review a\nb", ("review", "a\nb")),
        ("/agent:quit", ("agent:quit", "")),
        ("/etc/hosts is wrong", None),
        ("/ something", None),
        ("/", None),
        ("//quit", None),
        (" /plan", None),
        ("plan", None),
        ("/größe", None),
    ],
)
def test_what_is_a_command_and_what_is_just_a_prompt(text: str, read: tuple[str, str] | None) -> None:
    assert read_line(text) == read


def test_names_that_are_no_word_are_found_as_they_stand() -> None:
    commands = slash("my command", "my command more", "größe", "git/push")
    meant = [commands.of_line(text) for text in ("/my command more now", "/my command", "/größe 2", "/git/push", "/my")]
    assert [found and (found[0].agent_name, found[1]) for found in meant] == [
        ("my command more", "now"),
        ("my command", ""),
        ("größe", "2"),
        ("git/push", ""),
        None,
    ]


ODD = ["", "/", " ", "x" * 10_000, "\x1b]0;title\x07", "a\nb", "a\u202eb", " edge", "tab\t"]


def test_names_that_cannot_be_typed_are_left_out_and_counted() -> None:
    commands = slash(*ODD, "fine", "fine", "/quit")
    assert [offer.name for offer in commands.agents] == ["fine", "quit"]
    assert commands.unusable == len(ODD) + 1
    assert owner(commands.named("quit")) == "client"
    theirs = commands.named("agent:quit")
    assert theirs is not None
    assert theirs.agent_name == "quit"


def test_words_of_an_agent_are_cleaned_and_cut() -> None:
    told = AvailableCommand(name="x", description="\x1b[31mred" + "y" * 5_000, input=CommandInput(hint="a\x1b[0m\nb"))
    offer = SlashCommands(COMMANDS, [told]).agents[0]
    assert "\x1b" not in offer.words + offer.argument
    assert "\n" not in offer.argument
    assert len(offer.words) <= 300


def test_the_best_come_first() -> None:
    commands = slash("co", "compare", "my-copy", "recover", "cxxo")
    found = names(commands, "co")
    order = [found.index(name) for name in ("co", "compare", "my-copy", "recover", "cxxo")]
    assert order == sorted(order)
    assert found.index("compare") < found.index("copy") < found.index("my-copy")


@pytest.mark.parametrize(("query", "name"), [("exit", "exit"), ("cle", "clear"), ("EXI", "exit"), ("themes", "themes")])
def test_another_name_of_ours_is_listed_as_it_is_typed(query: str, name: str) -> None:
    assert names(slash(), query)[0] == name


def test_one_command_of_ours_is_listed_once() -> None:
    assert [name for name in names(slash(), "mode") if name in ("model", "models", "mode", "modes")] == [
        "mode",
        "model",
    ]


def test_a_name_that_nobody_has_finds_nothing() -> None:
    assert names(slash("work"), "xyz") == []


@each_of(
    ("typed", "meant"),
    [
        ("/exprot", "export"),
        ("/hlep", "help"),
        ("/Setings", "settings"),
        ("/thmee now", "theme"),
        ("/deplyo", "deploy"),
        ("/hooks", ""),  # not /tools, as it was
        ("/doctor", ""),  # /editor
        ("/limir", "limit"),
        ("/xeme", ""),
        ("/x", ""),
        ("/init", ""),  # agents have these: this one just does not
        ("/review", ""),
        ("/compact", ""),
        ("/model", ""),
        ("/agent:hlep", ""),
        ("/" + "h" * 100_000, ""),
    ],
)
def test_a_guess_begins_alike_and_is_at_most_two_edits_away(typed: str, meant: str) -> None:
    assert slash("deploy", "limits", "tools").nearest(typed) == meant


@each_of(
    ("typed", "completed"),
    [
        ("", True),
        ("pla", True),
        ("PLA", True),
        ("ship", True),
        ("dpl", True),
        ("notes", False),  # only its description has the word
        ("compact", False),  # agents have it: it is complete, though nobody has it here
        ("init", False),
        ("model", False),
    ],
)
def test_enter_completes_what_is_no_complete_name_and_begins_one(typed: str, completed: bool) -> None:
    told = [AvailableCommand(name=name, description="Notes on init and compact") for name in ("plan", "deploy-ship")]
    for complete in (True, False):
        commands = SlashCommands(COMMANDS, told, complete=complete)
        offers = [each for each in commands.found(typed) if each.agent_name] or commands.agents
        assert commands.completes(typed, offers[0]) is completed


def test_what_the_agent_lacks_is_said_once_its_list_has_come() -> None:
    told = {offer.name: offer for offer in slash("init").rows if not offer.can_run}
    assert set(told) == {"compact", "review"}
    assert told["compact"].description == "Not offered by this agent"
    assert slash().named("compact") is None
    assert all(offer.can_run for offer in SlashCommands(COMMANDS, complete=False).rows)


def test_only_ours_tell_whether_an_argument_must_follow() -> None:
    def asks(commands: SlashCommands, name: str) -> bool:
        offer = commands.named(name)
        return offer is not None and offer.asks

    told = SlashCommands(
        COMMANDS, [AvailableCommand(name="work", input=CommandInput(hint="what")), AvailableCommand(name="go")]
    )
    assert [asks(told, name) for name in ("rename", "model", "work", "go")] == [True, False, True, False]


def test_five_thousand_commands_are_searched_without_looking_at_long_descriptions() -> None:
    many = [AvailableCommand(name=f"skill-{number}", description="many things " * 1_000) for number in range(5_000)]
    commands = SlashCommands(COMMANDS, many)
    assert names(commands, "skill-4999") == ["skill-4999"]
    assert sum(len(offer.description) for offer in commands.agents) <= 5_000 * 301


@pytest.mark.parametrize(
    ("hint", "shown"), [("why", "<why>"), ("[why]", "[why]"), ("<why>", "<why>"), ("a [b]", "<a [b]>"), ("", "")]
)
def test_a_hint_that_has_brackets_keeps_them(hint: str, shown: str) -> None:
    assert (
        SlashCommands(COMMANDS, prompts=[OwnPrompt("p", Path(), "Do it", argument_hint=hint)]).rows[0].argument == shown
    )
