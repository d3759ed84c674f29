"""From the arguments of `acp-tui changes` and `acp-tui snapshots` to what they do."""

import argparse
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.headless.changes.showing import Asked, show_changes
from acp_tui.headless.changes.snapshots import Prune, prune, show_snapshots
from acp_tui.host.changes.settings import snapshot_settings
from acp_tui.host.config.config import load_config


def changes(options: argparse.Namespace) -> int:
    """Print what a session changed; the exit code. The folder need not be there any more."""
    try:
        folder = str(Path(options.cwd or ".").expanduser().resolve())
    except (OSError, RuntimeError) as error:
        raise UserFault("The current folder does not exist any more", reason_of(error), "Use: -C FOLDER") from error
    return show_changes(Asked(folder, options.session, options.turn, options.stat, options.cwd is not None))


def snapshots(options: argparse.Namespace) -> int:
    """List what is kept, or delete it; the exit code. Raises `UserFault` for options without `prune`."""
    asked = Prune(options.session, options.older_than, options.all, options.yes)
    settings = snapshot_settings(load_config(Path.cwd()).own.says)
    if options.what == "prune":
        return prune(asked, settings)
    if asked != Prune():
        raise UserFault("Only prune has options", hint="See: acp-tui snapshots --help")
    return show_snapshots(settings)
