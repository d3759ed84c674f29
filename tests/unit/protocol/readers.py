"""Which word of the vocabulary reads which definition of the official schemas."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from acp_tui.protocol import session_setup, update_readers
from acp_tui.protocol.base import Model
from acp_tui.protocol.v1 import dialect, session_memory
from acp_tui.protocol.vocabulary import (
    config_options,
    content,
    elicitation,
    initialization,
    session_updates,
    tool_calls,
)
from acp_tui.protocol.vocabulary import initialization as initialize_response
from acp_tui.protocol.vocabulary.session_updates import PlanEntry
from tests.unit.protocol import methods
from tests.unit.protocol.official import V1, Official


@dataclass(frozen=True)
class Table:
    """The readers of one version.

    `elsewhere`: definitions with members that no word of the vocabulary reads, and why not. `folded`: members that a
    dialect reads before the model does. `checked`: members that are required by more than their own declaration.
    `kinder`: members that the schema requires and that we can do without. `kinder_marks`: members that bear more
    than the schema asks for.
    """

    official: Official
    readers: Mapping[str, type[Model]]
    elsewhere: Mapping[str, str]
    folded: Mapping[tuple[str, str], str]
    checked: Collection[tuple[str, str]]
    kinder: Collection[tuple[str, str]]
    kinder_marks: Collection[tuple[str, str]] = ()


READERS: dict[str, type[Model]] = {
    "WriteTextFileRequest": tool_calls.WriteTextFileRequest,
    "ReadTextFileRequest": tool_calls.ReadTextFileRequest,
    "RequestPermissionRequest": dialect.ToolCallPermission,
    "PermissionOption": tool_calls.PermissionOption,
    "CreateTerminalRequest": tool_calls.CreateTerminalRequest,
    "EnvVariable": tool_calls.EnvVariable,
    "TerminalOutputRequest": tool_calls.TerminalRequest,
    "ReleaseTerminalRequest": tool_calls.TerminalRequest,
    "WaitForTerminalExitRequest": tool_calls.TerminalRequest,
    "KillTerminalRequest": tool_calls.TerminalRequest,
    "TerminalExitStatus": tool_calls.TerminalExitStatus,
    "CancelRequestNotification": methods.CancelRequest,
    "SessionNotification": methods.SessionUpdate,
    "ElicitationFormMode": elicitation.FormElicitation,
    "ElicitationUrlMode": elicitation.UrlElicitation,
    "CreateElicitationRequest": elicitation.Elicitation,
    "ElicitationSessionScope": elicitation.Elicitation,
    "ElicitationRequestScope": elicitation.Elicitation,
    "ElicitationSchema": elicitation.ElicitationSchema,
    "EnumOption": elicitation.EnumOption,
    "StringPropertySchema": elicitation.StringProperty,
    "NumberPropertySchema": elicitation.NumberProperty,
    "IntegerPropertySchema": elicitation.IntegerProperty,
    "BooleanPropertySchema": elicitation.BooleanProperty,
    "MultiSelectPropertySchema": elicitation.MultiSelectProperty,
    "StringMultiSelectItems": elicitation.StringItems,
    "TitledMultiSelectItems": elicitation.TitledItems,
    "CompleteElicitationNotification": elicitation.ElicitationComplete,
    "Annotations": content.Annotations,
    "TextContent": content.TextContent,
    "ImageContent": content.ImageContent,
    "AudioContent": content.AudioContent,
    "ResourceLink": content.ResourceLink,
    "TextResourceContents": content.TextResource,
    "BlobResourceContents": content.BlobResource,
    "EmbeddedResource": content.EmbeddedResource,
    "Content": tool_calls.ContentItem,
    "Diff": tool_calls.Diff,
    "Terminal": tool_calls.TerminalReference,
    "ToolCallLocation": tool_calls.ToolCallLocation,
    "ToolCall": tool_calls.ToolCallUpdate,
    "ToolCallUpdate": tool_calls.ToolCallUpdate,
    "ContentChunk": session_updates.MessageChunk,
    "Plan": update_readers.WholePlan,
    "PlanEntry": PlanEntry,
    "AvailableCommand": session_updates.AvailableCommand,
    "UnstructuredCommandInput": session_updates.CommandInput,
    "AvailableCommandsUpdate": session_updates.AvailableCommandsUpdate,
    "ConfigOptionUpdate": session_memory.ConfigOptions,
    "SetSessionConfigOptionResponse": session_memory.ConfigOptions,
    "SessionConfigOption": config_options.ConfigSelect,
    "SessionConfigSelect": config_options.ConfigSelect,
    "SessionConfigBoolean": config_options.BooleanOption,
    "SessionConfigSelectOption": config_options.ConfigValue,
    "SessionConfigSelectGroup": config_options.SelectGroup,
    "SessionInfoUpdate": session_updates.SessionInfoUpdate,
    "Cost": session_updates.Cost,
    "UsageUpdate": session_updates.UsageUpdate,
    "Notice": session_updates.Notice,
    "CompactionUpdate": session_updates.CompactionUpdate,
    "CompactionSummaryChunk": session_updates.CompactionSummaryChunk,
    "InitializeResponse": dialect.InitializeResponse,
    "AgentCapabilities": dialect.AgentOffer,
    "PromptCapabilities": dialect.BooleanPromptOffer,
    "McpCapabilities": dialect.McpOffer,
    "SessionCapabilities": initialize_response.SessionOffer,
    "AgentAuthCapabilities": dialect.AuthOffer,
    "AuthMethodTerminal": initialization.AuthMethod,
    "AuthMethodAgent": initialization.AuthMethod,
    "Implementation": initialization.Implementation,
    "NewSessionResponse": session_setup.NewSessionResponse,
    "LoadSessionResponse": session_setup.SessionSetupResponse,
    "ResumeSessionResponse": session_setup.SessionSetupResponse,
    "SessionModeState": session_setup.SessionModeState,
    "SessionMode": session_setup.SessionMode,
    "ListSessionsResponse": initialization.SessionPage,
    "SessionInfo": initialization.SessionInfo,
    "PromptResponse": session_memory.PromptResponse,
    "AuthenticateResponse": methods.EmptyResponse,
    "LogoutResponse": methods.EmptyResponse,
    "DeleteSessionResponse": methods.EmptyResponse,
    "CloseSessionResponse": methods.EmptyResponse,
    "SetSessionModeResponse": methods.EmptyResponse,
}

ELSEWHERE = {
    "AgentRequest": "wire",
    "AgentResponse": "wire",
    "AgentNotification": "wire",
    "Error": "wire",
    "CurrentModeUpdate": "folded into config options: test_choices",
    "ClientCapabilities": "sent",
    "FileSystemCapabilities": "sent",
    "ClientSessionCapabilities": "sent",
    "SessionConfigOptionsCapabilities": "sent",
    "AuthCapabilities": "sent",
    "ElicitationCapabilities": "sent",
    "ElicitationAcceptAction": "sent",
    "SelectedPermissionOutcome": "sent",
    "HttpHeader": "sent",
    "McpServerHttp": "sent",
    "McpServerSse": "sent",
    "McpServerStdio": "sent",
}

FOLDED = {
    ("ContentChunk", "messageId"): "the dialect gives every message an id",
    ("ToolCall", "title"): "the dialect wants one from a new tool call",
    ("AuthMethodAgent", "id"): "called methodId",
    ("AuthMethodTerminal", "id"): "called methodId",
    ("InitializeResponse", "protocolVersion"): "negotiation reads it",
}

CHECKED = {
    ("CompactionUpdate", "status"),  # by the dialect; protocol 2 patches without it
    ("Diff", "path"),  # by the model as a whole; protocol 2 has other diffs, too
    ("Diff", "newText"),
    ("ElicitationSessionScope", "sessionId"),  # one of the two is needed
    ("ElicitationRequestScope", "requestId"),
}

KINDER = {
    ("Implementation", "version"),
    ("AvailableCommand", "description"),
    ("UnstructuredCommandInput", "hint"),
    ("PlanEntry", "priority"),
    ("PlanEntry", "status"),
}

VERSION_1 = Table(V1, READERS, ELSEWHERE, FOLDED, CHECKED, KINDER)
