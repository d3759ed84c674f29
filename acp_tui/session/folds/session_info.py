"""Information on the session as a whole: name, usage, plans, slash commands and config options."""

from collections.abc import Collection
from itertools import islice

from acp_tui.protocol.vocabulary.config_options import ConfigOption, ConfigOptionUpdate
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommandsUpdate,
    PlanRemoved,
    PlanUpdate,
    PromptSuggestionsUpdate,
    SessionInfoUpdate,
    UsageUpdate,
)
from acp_tui.safe_text import one_line
from acp_tui.session.changes import (
    CommandsChanged,
    ConfigOptionsChanged,
    InfoChanged,
    PlanChanged,
    SuggestionsChanged,
    UsageChanged,
)
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import (
    CarryingChosen,
    ConfigOptionRequested,
    ConfigOptionSettled,
    OptionsAwaited,
    OptionsSettled,
    SessionIdentified,
    SessionNamed,
    SystemPromptSent,
)
from acp_tui.session.folds import timeline
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import begins_with_ours, without_note

LONGEST_TITLE = 80  # characters of the user's words as a title
LIMITS = 16  # kinds of limits that are kept; an agent may think of any number


def fold_info(session: Session, update: SessionInfoUpdate) -> None:
    """Patch title and time; `None` clears. A name that the user gave stays."""
    if update.has("title") and not session.named:
        ours = update.title is not None and begins_with_ours(update.title)
        session.title = _own_words(session) or session.title if ours else update.title
    if update.has("updated_at"):
        session.updated_at = update.updated_at
    session.meta = timeline.patched(session.meta, update)
    session.publish(InfoChanged())


def _own_words(session: Session) -> str | None:
    own = islice(session.entries, session.index.branched_at, None)
    asked = (entry for entry in own if isinstance(entry, MessageEntry) and entry.role == "user")
    lines = (without_note(text_of(entry.parts)).strip().partition("\n")[0] for entry in asked)
    return next((one_line(line, LONGEST_TITLE) for line in lines if line.strip()), None)


def fold_identified(session: Session, fact: SessionIdentified) -> None:
    """Know the session by its id; what its agent was called before stays unless that says otherwise."""
    session.id, session.agent_name = fact.session_id, fact.agent_name or session.agent_name
    session.index.identified_at = session.clock()
    session.publish(InfoChanged())


def fold_system_prompt(_session: Session, _fact: SystemPromptSent) -> None:
    """For the record alone: the text is between the user and the agent, and in no export."""


def fold_carrying(session: Session, fact: CarryingChosen) -> None:
    session.carrying = fact.carrying
    session.publish(InfoChanged())


def fold_named(session: Session, fact: SessionNamed) -> None:
    session.title, session.named = fact.title, True
    session.publish(InfoChanged())


def fold_usage(session: Session, update: UsageUpdate) -> None:
    """Replace the usage; an omitted cost stays, `None` clears it. A limit stays until that one is told again."""
    before = session.usage
    if before is not None and before.has("cost") and not update.has("cost"):
        update = update.model_copy(update={"cost": before.cost})
    if before is not None and before.limits:
        limits = {limit.kind: limit for limit in (*before.limits, *update.limits)}
        update = update.model_copy(update={"limits": list(limits.values())[-LIMITS:]})
    session.usage = update
    session.publish(UsageChanged())


def fold_suggestions(session: Session, update: PromptSuggestionsUpdate) -> None:
    session.suggestions = list(update.suggestions)
    session.publish(SuggestionsChanged())


def forget_suggestions(session: Session) -> None:
    """The next prompt is on its way, so that none of them is about the one after it."""
    if session.suggestions:
        session.suggestions = []
        session.publish(SuggestionsChanged())


def fold_plan(session: Session, update: PlanUpdate) -> None:
    session.plans[update.plan.plan_id] = update.plan
    session.index.turn_plans.pop(update.plan.plan_id, None)
    session.index.turn_plans[update.plan.plan_id] = update.plan
    session.publish(PlanChanged(update.plan.plan_id))


def fold_plan_removed(session: Session, update: PlanRemoved) -> None:
    session.index.turn_plans.pop(update.plan_id, None)
    if session.plans.pop(update.plan_id, None) is not None:
        session.publish(PlanChanged(update.plan_id))


def fold_commands(session: Session, update: AvailableCommandsUpdate) -> None:
    session.commands = list(update.available_commands)
    session.index.commands_told = True
    session.publish(CommandsChanged())


def fold_config_options(session: Session, update: ConfigOptionUpdate) -> None:
    """Replace the whole list. Apply it before the choice that it answers is settled."""
    before, session.config_options = session.config_options, list(update.config_options)
    session.unknown_config_options = list(update.unknown)
    session.index.options_at = session.clock()
    asked = session.config_in_flight
    news = bool(before) and session.index.options_before is None
    session.publish(compared(before, session.config_options, asked) if news else ConfigOptionsChanged())


def fold_options_awaited(session: Session, _: OptionsAwaited) -> None:
    """Remember the options that the user knows; it may be tried in more than one way to open the session."""
    if session.index.options_before is None:
        session.index.options_before = list(session.config_options)


def fold_options_settled(session: Session, fact: OptionsSettled) -> None:
    """Say once what differs from before. Does nothing where that was said already."""
    before, session.index.options_before = session.index.options_before, None
    if before:
        session.publish(compared(before, session.config_options, fact.told))


def chosen_name(session: Session, category: str) -> str:
    """The name of the value that a list of this category has: of the one that is called so, else the first."""
    of_category = [each for each in session.config_options if each.category == category and not each.is_switch]
    option = next((each for each in of_category if each.id == category), next(iter(of_category), None))
    return option.value_name() if option is not None and option.is_named else ""


def fold_option_requested(session: Session, fact: ConfigOptionRequested) -> None:
    """Remember a choice until the agent has answered it."""
    session.config_in_flight[fact.option_id] = fact.value
    session.index.config_requests[fact.option_id] += 1
    session.publish(ConfigOptionsChanged())


def fold_option_settled(session: Session, fact: ConfigOptionSettled) -> None:
    """Forget a choice once its last request was answered; an option that cannot be changed at all is noted."""
    requests = session.index.config_requests
    requests[fact.option_id] -= 1
    if requests[fact.option_id] <= 0:
        del requests[fact.option_id]
        session.config_in_flight.pop(fact.option_id, None)
    if fact.unsupported:
        session.config_fixed[fact.option_id] = fact.refused
    session.publish(ConfigOptionsChanged(refused=fact.refused if session.index.options_before is None else ""))


def compared(before: list[ConfigOption], after: list[ConfigOption], asked: Collection[str]) -> ConfigOptionsChanged:
    """What changed from one list to the next beside the options that were asked for, in names."""
    old = {option.id: option for option in before}
    new = {option.id: option for option in after}
    return ConfigOptionsChanged(
        altered=tuple(
            _told(old[option.id], option)
            for option in after
            if option.id in old and option.id not in asked and _choices(old[option.id]) != _choices(option)
        ),
        appeared=tuple(option.shown_name for option in after if option.id not in old),
        vanished=tuple(option.shown_name for option in before if option.id not in new),
        by_agent=not asked,
    )


def _told(old: ConfigOption, new: ConfigOption) -> str:
    moved = old.current_value != new.current_value and new.is_named
    return f"{new.shown_name} → {new.value_name()}" if moved else new.shown_name


def _choices(option: ConfigOption) -> object:
    return option.current_value, [each.value for each in option.choices]
