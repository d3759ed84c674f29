"""Sessions recorded as they happen, one file each, and read again."""

from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.records import READ_AHEAD, Records
from acp_tui.host.records.retold import RecordedSession, continue_in
from acp_tui.host.records.search import Found, Hit

__all__ = ["READ_AHEAD", "Found", "Hit", "RecordInfo", "RecordedSession", "Records", "continue_in"]
