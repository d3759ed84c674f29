"""Commands that change the agent's config options."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class OptionCommand(Command):
    """A command about config options; `category` names the options that it changes."""

    group: ClassVar[str] = "Mode, model and options"
    footer_rank: ClassVar[int] = 2


class NextMode(OptionCommand):
    """Step to the next mode."""

    id = "next_mode"
    keys = ("shift+tab",)
    leader = "m"
    label = "Next mode"
    tooltip = "Choose the next value of the agent's mode"
    footer = "mode"
    category = "mode"

    def run(self, screen: ConversationScreen) -> None:
        """Choose it."""
        screen.options.step(self.category)


class PickModel(OptionCommand):
    """Pick a model."""

    id = "pick_model"
    keys = ("alt+p", "f2")
    leader = "p"
    label = "Pick the model"
    tooltip = "Choose the model and its configuration from a list"
    footer = "model"
    category = "model"

    def run(self, screen: ConversationScreen) -> None:
        """Open the panel of model and model_config."""
        screen.options.pick((self.category, ChangeModelConfig.category))


class NextThoughtLevel(OptionCommand):
    """Step to the next thought level."""

    id = "next_thought_level"
    keys = ("alt+t", "f3")
    leader = "t"
    label = "Next thought level"
    tooltip = "Choose how hard the agent thinks"
    footer = "thinking"
    category = "thought_level"

    def run(self, screen: ConversationScreen) -> None:
        """Choose it."""
        screen.options.step(self.category)


class ChangeModelConfig(OptionCommand):
    """Change the model's configuration."""

    id = "change_model_config"
    keys = ("alt+o", "f4")
    leader = "o"
    label = "Change model configuration"
    tooltip = "Toggle it, step through up to three values, or open the list"
    footer = "config"
    category = "model_config"

    def run(self, screen: ConversationScreen) -> None:
        """Toggle, step or open, as its values ask for."""
        screen.options.change(self.category)


class AllOptions(OptionCommand):
    """See all options."""

    id = "all_options"
    leader = "c"
    label = "All options"
    tooltip = "Every config option that the agent offers"

    def run(self, screen: ConversationScreen) -> None:
        """Open the panel of all options."""
        screen.options.show_all()
