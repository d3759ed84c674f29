"""Mutants of the part of the host that reads, keeps and writes files: changes, take-back, records, what is stored."""

from tests.mutants.mutant import Mutant

FILES: tuple[Mutant, ...] = (
    Mutant(
        "a hunk is taken back some lines off where the file changed since",
        "acp_tui.host.revert.plan:_by_context",
        "{found[0] + first - begin}",
        "{found[0]}",
        ("unit/host/revert/test_hunks.py",),
    ),
    Mutant(
        "a file that the user has edited since is overwritten unasked",
        "acp_tui.host.revert.plan:Plan._refusals",
        "if not same(here.state, change.after):",
        "if here.state.kind != change.after.kind:",
        ("unit/host/revert/test_plan.py",),
    ),
    Mutant(
        "what is written between the look and the exchange is lost",
        "acp_tui.host.revert.file_operations:_is_removed",
        "if same(look(aside).state, shown):",
        "if same(look(aside).state, shown) or shown.kind == 'file':",
        ("hostile/test_take_back.py",),
    ),
    Mutant(
        "a snapshot misses a change that was made right after the last one",
        "acp_tui.host.snapshots.path_state:provable",
        "if newest(data) < looked - slack(data)",
        "if newest(data) <= looked",
        ("unit/host/snapshots/test_scan.py",),
    ),
    Mutant(
        "a file of a folder that was moved in behind the prompt is given as the state before",
        "acp_tui.host.snapshots.proof:Proof.path",
        ' and self.folder(path.rpartition("/")[0])',
        "",
        ("unit/host/snapshots/test_proof.py",),
    ),
    Mutant(
        "a prompt that was put back counts as a turn",
        "acp_tui.host.changes.turn_tracker:TurnPoints._put_back",
        "self._turn -= 1",
        "self._turn -= 0",
        ("integration/test_turn_snapshots.py",),
    ),
    Mutant(
        "the end of a long answer is not in its record",
        "acp_tui.host.records.event_codec:_cut",
        "for start in range(0, len(content.text), JOINED):",
        "for start in range(0, len(content.text) - JOINED, JOINED):",
        ("unit/host/records/test_lines.py", "unit/host/sessions/test_records.py"),
    ),
    Mutant(
        "a link that leads out of the folder is sent unasked",
        "acp_tui.host.prompts.mentions:find_mention",
        ".hold(str(target))",
        ".hold(str(path if path.is_absolute() else Path(roots[0]) / path))",
        ("unit/host/prompts/test_mentions.py",),
    ),
    Mutant(
        "what a child of the agent started goes on when the agent is ended",
        "acp_tui.host.system.process_tree:ProcessTree._find",
        "queue += new",
        "queue += []",
        ("unit/host/system/test_process_tree.py",),
    ),
    Mutant(
        "what a turn hides by a new ignore rule cannot be undone",
        "acp_tui.host.snapshots.capture:Capture._followed",
        "if row.kind != UNKNOWN and self._is_covered(path)]",
        "if False]",
        ("integration/test_taking_back_between_turns.py",),
    ),
    Mutant(
        "what the user edits in a turn is undone with the agent's work",
        "acp_tui.host.changes.attribution:_unnamed",
        "any(begin <= when <= end for begin, end in spans)",
        "bool(spans)",
        ("unit/host/changes/test_attribution.py",),
    ),
    Mutant(
        "an undo removes what lies beside a file and is nobody's leftover",
        "acp_tui.host.revert.apply:_settle",
        "if state.digest and any(state.digest in (step.now.digest, step.target.digest) for _, step in known):",
        "if state.digest:",
        ("unit/host/revert/test_leftovers.py",),
    ),
    Mutant(
        "on a full disk what nobody has kept is overwritten",
        "acp_tui.host.revert.apply:unkept_steps",
        "if step.now.digest != step.change.after.digest or not store.has(step.now.digest)",
        "if False",
        ("unit/host/revert/test_backup.py", "hostile/test_snapshots.py"),
    ),
)
