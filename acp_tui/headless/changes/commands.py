"""From the arguments of `acp-tui changes` and `acp-tui snapshots` to what they do."""

import argparse

from acp_tui.errors import UserFault
from acp_tui.headless.changes.showing import LATEST, Asked, show_changes, show_uncommitted
from acp_tui.headless.changes.snapshots import Prune, prune, show_snapshots
from acp_tui.host.changes.settings import snapshot_settings
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.system.current_folder import real_path, written_path


def changes(options: argparse.Namespace) -> int:
    """Print what a session changed, or what is not committed; the exit code.

    The folder of a session need not be there any more.
    """
    if options.uncommitted:
        if options.session is not None or options.turn is not None:
            raise UserFault("--uncommitted needs no session and no turn", hint="See: acp-tui changes --help")
        return show_uncommitted(str(real_path(written_path(options.cwd or "."))), stat=options.stat)
    by_id = options.cwd is None and options.session not in (None, LATEST)  # that is known by its id alone
    folder = "" if by_id else str(real_path(written_path(options.cwd or ".")))
    return show_changes(Asked(folder, options.session, options.turn, options.stat, options.cwd is not None))


def snapshots(options: argparse.Namespace) -> int:
    """List what is kept, or delete it; the exit code. Raises `UserFault` for options without `prune`."""
    asked = Prune(options.session, options.older_than, options.all, options.yes)
    settings = snapshot_settings(ConfigFile.read(own_file()).says)
    if options.what == "prune":
        return prune(asked, settings)
    if asked != Prune():
        raise UserFault("Only prune has options", hint="See: acp-tui snapshots --help")
    return show_snapshots(settings)
