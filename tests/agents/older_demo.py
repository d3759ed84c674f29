"""The demo agent as some others are: with modes and models instead of options, or with options before a session."""

import asyncio
import contextlib
import sys
from typing import Any

from acp_tui.demo.agent import Agent

INPUT_OPTIONS = {
    "session/new": {
        "type": "object",
        "properties": {
            "model": {
                "type": "string",
                "title": "Model to begin with",
                "oneOf": [
                    {"const": "swift-mini", "title": "Swift Mini", "description": "Quick"},
                    {"const": "sage-4", "title": "Sage 4", "description": "The default"},
                ],
                "default": "sage-4",
            },
            "greeting": {"type": "boolean", "title": "Say hello first"},
            "apiKey": {"type": "string", "title": "API key", "description": "Masked, and never stored"},
        },
    }
}


class OlderAgent(Agent):
    """Tells modes and models, as agents did before there were options."""

    async def serve(self, method: str, params: dict[str, Any]) -> Any:
        if method in ("session/set_mode", "session/set_model"):
            option_id = method.removeprefix("session/set_")
            value = params[f"{option_id}Id"]
            session = self.session(params)
            session.options.choose(option_id, value)
            if option_id == "mode":
                session.update("current_mode_update", currentModeId=value)
            return {}
        answer = await super().serve(method, params)
        if method == "session/new":
            options = self.sessions[answer["sessionId"]].options
            mode, model, *_ = options.offered()
            modes = [
                {"id": value["value"], "name": value["name"], "description": value["description"]}
                for value in mode["options"]
            ]
            models = [
                {"modelId": value["value"], "name": value["name"], "description": value.get("description")}
                for group in model["options"]
                for value in group["options"]
            ]
            return {
                "sessionId": answer["sessionId"],
                "modes": {"currentModeId": options["mode"], "availableModes": modes},
                "models": {"currentModelId": options["model"], "availableModels": models},
            }
        return answer


class AskingAgent(Agent):
    """Takes options for a session before it is opened."""

    async def serve(self, method: str, params: dict[str, Any]) -> Any:
        answer = await super().serve(method, params)
        if method == "initialize":
            answer["configSchema"] = INPUT_OPTIONS
        if method == "session/new" and (model := (params.get("configOptions") or {}).get("model")):
            session = self.sessions[answer["sessionId"]]
            session.options.choose("model", model)
            answer |= session.setup()
        return answer


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run((AskingAgent if "--ask" in sys.argv else OlderAgent)().connection.run())
