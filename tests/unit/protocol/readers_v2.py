"""Which word of the vocabulary reads which definition of the official schema of protocol 2."""

from acp_tui.protocol import session_setup
from acp_tui.protocol.base import Model
from acp_tui.protocol.v2 import dialect, session_memory
from acp_tui.protocol.vocabulary import content, session_updates, tool_calls
from acp_tui.protocol.vocabulary import initialization as initialize_response
from tests.unit.protocol import methods
from tests.unit.protocol.official import V2
from tests.unit.protocol.readers import READERS as VERSION_1_READERS
from tests.unit.protocol.readers import Table

SHARED = (
    "PermissionOption",
    "EnvVariable",
    "TerminalExitStatus",
    "CancelRequestNotification",
    "ElicitationFormMode",
    "ElicitationUrlMode",
    "CreateElicitationRequest",
    "ElicitationSessionScope",
    "ElicitationRequestScope",
    "ElicitationSchema",
    "EnumOption",
    "StringPropertySchema",
    "NumberPropertySchema",
    "IntegerPropertySchema",
    "BooleanPropertySchema",
    "MultiSelectPropertySchema",
    "StringMultiSelectItems",
    "TitledMultiSelectItems",
    "CompleteElicitationNotification",
    "Annotations",
    "TextContent",
    "ImageContent",
    "AudioContent",
    "ResourceLink",
    "TextResourceContents",
    "BlobResourceContents",
    "EmbeddedResource",
    "Content",
    "Diff",
    "Terminal",
    "ToolCallLocation",
    "ToolCallUpdate",
    "ContentChunk",
    "PlanEntry",
    "SessionConfigOption",
    "SessionConfigSelect",
    "SessionConfigBoolean",
    "SessionConfigSelectOption",
    "SessionConfigSelectGroup",
    "SessionInfoUpdate",
    "Cost",
    "UsageUpdate",
    "Notice",
    "CompactionUpdate",
    "CompactionSummaryChunk",
    "AuthMethodTerminal",
    "AuthMethodAgent",
    "Implementation",
    "ListSessionsResponse",
    "SessionInfo",
)

READERS: dict[str, type[Model]] = {name: VERSION_1_READERS[name] for name in SHARED} | {
    "UpdateSessionNotification": methods.SessionUpdate,
    "RequestPermissionRequest": dialect.PermissionAsked,
    "ToolCallPermissionSubject": dialect.ToolCallSubject,
    "CommandPermissionSubject": dialect.CommandSubject,
    "Icon": content.Icon,
    "DiffChange": tool_calls.FileChange,
    "DiffPathChange": tool_calls.FileChange,
    "DiffPathPairChange": tool_calls.FileChange,
    "DiffPatch": tool_calls.Patch,
    "ToolCallCapabilities": tool_calls.WorkCapabilities,
    "TerminalCapabilities": tool_calls.WorkCapabilities,
    "BackgroundTerminal": tool_calls.BackgroundWork,
    "BackgroundToolCall": tool_calls.BackgroundWork,
    "ToolCallContentChunk": tool_calls.ToolCallContentChunk,
    "TerminalUpdate": tool_calls.TerminalUpdate,
    "TerminalOutputChunk": tool_calls.TerminalOutputChunk,
    "TerminalSize": tool_calls.TerminalSize,
    "UserMessage": session_updates.MessageUpdate,
    "AgentMessage": session_updates.MessageUpdate,
    "AgentThought": session_updates.MessageUpdate,
    "StateUpdate": session_updates.StateUpdate,
    "RunningStateUpdate": session_updates.StateUpdate,
    "IdleStateUpdate": session_updates.StateUpdate,
    "RequiresActionStateUpdate": session_updates.StateUpdate,
    "ErrorStopReason": session_updates.StateUpdate,
    "AvailableCommandsUpdate": dialect.AvailableCommands,
    "Command": session_updates.AvailableCommand,
    "TextCommandInput": session_updates.CommandInput,
    "ConfigOptionUpdate": session_setup.ConfigOptions,
    "SetSessionConfigOptionResponse": session_setup.ConfigOptions,
    "InitializeResponse": dialect.InitializeResponse,
    "AgentCapabilities": dialect.AgentOffer,
    "SessionCapabilities": dialect.Version2SessionOffer,
    "PromptCapabilities": initialize_response.PromptOffer,
    "McpCapabilities": dialect.McpOffer,
    "NewSessionResponse": session_setup.NewSessionResponse,
    "ResumeSessionResponse": session_setup.SessionSetupResponse,
    "PromptResponse": session_memory.PromptResponse,
    "LoginAuthResponse": methods.EmptyResponse,
    "LogoutAuthResponse": methods.EmptyResponse,
    "DeleteSessionResponse": methods.EmptyResponse,
    "CloseSessionResponse": methods.EmptyResponse,
    "CancelToolCallResponse": methods.EmptyResponse,
    "CancelTerminalResponse": methods.EmptyResponse,
}

ELSEWHERE = {
    "AgentRequest": "wire",
    "AgentResponse": "wire",
    "AgentNotification": "wire",
    "Error": "wire",
    "UnsupportedProtocolVersionErrorData": "shown as data",
    "SessionNotFoundErrorData": "shown as data",
    "TerminalOutput": "decoded by the dialect: test_version_2",
    "PlanUpdate": "read by its plan's type: test_version_2",
    "PlanItems": "read by its plan's type: test_version_2",
    "ClientCapabilities": "sent",
    "ClientAuthCapabilities": "sent",
    "ElicitationCapabilities": "sent",
    "ElicitationAcceptAction": "sent",
    "SelectedPermissionOutcome": "sent",
    "HttpHeader": "sent",
    "McpServerHttp": "sent",
    "McpServerStdio": "sent",
}

FOLDED = {
    ("SessionConfigOption", "configId"): "called id",
    ("SessionConfigSelectGroup", "groupId"): "called group",
    ("InitializeResponse", "protocolVersion"): "negotiation reads it",
    ("InitializeResponse", "info"): "drafts called it agentInfo, and it only names the agent",
    ("TerminalUpdate", "output"): "decoded by the dialect",
    ("TerminalOutputChunk", "data"): "decoded by the dialect",
}

CHECKED = {
    ("CompactionUpdate", "status"),  # by the dialect, as in version 1
    ("Diff", "changes"),  # by the model as a whole; version 1 has other diffs
    ("DiffPathChange", "path"),  # by the operation
    ("DiffPathPairChange", "path"),
    ("DiffPathPairChange", "oldPath"),
    ("BackgroundTerminal", "terminalId"),  # by the type
    ("BackgroundToolCall", "toolCallId"),
    ("RequestPermissionRequest", "title"),  # by the dialect; drafts have a tool call instead
    ("ElicitationSessionScope", "sessionId"),  # one of the two is needed
    ("ElicitationRequestScope", "requestId"),
}

KINDER = {
    ("Implementation", "version"),
    ("Command", "description"),
    ("TextCommandInput", "hint"),
    ("PlanEntry", "priority"),
    ("PlanEntry", "status"),
    ("PromptResponse", "messageId"),
    ("ElicitationSchema", "type"),
    ("ElicitationSchema", "properties"),
}

KINDER_MARKS = {
    ("ElicitationSchema", "type"),  # as version 1 marks it
    ("SessionInfo", "additionalDirectories"),
    ("ListSessionsResponse", "nextCursor"),
}

VERSION_2 = Table(V2, READERS, ELSEWHERE, FOLDED, CHECKED, KINDER, KINDER_MARKS)
