"""What an OpenAI-compatible server says, and model replies that fit the shapes asked for."""

import json
from typing import Any

from aiohttp import web

from loopback import Answer, json_answer


def completion(content: str | None, *, finish: str = "stop", refusal: str | None = None, **extra: Any) -> Any:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model-1",
        "system_fingerprint": "fp_test",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, "refusal": refusal},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        **extra,
    }


def says(value: Any, **options: Any) -> Answer:
    content = value if isinstance(value, str) or value is None else json.dumps(value)
    return json_answer(completion(content, **options))


def refuses(status: int, message: str, **error: Any) -> Answer:
    return json_answer(
        {"error": {"message": message, "type": "invalid_request_error", **error}}, status=status
    )


GROUNDS = [{"type": "symbolic", "reason": "by convention"}, {"type": "iconic", "reason": "it looks like it"}]


def triad(name: str) -> dict[str, Any]:
    return {
        "label": f"{name} label",
        "sign": f"{name} sign",
        "object": f"{name} object",
        "interpretant": f"{name} interpretant",
        "grounds": GROUNDS,
    }


def prompt_graph(*quotes: str | None) -> dict[str, Any]:
    children = [
        {**triad(f"part {n}"), "quote": q, "relation": "elaboration: more"} for n, q in enumerate(quotes, 1)
    ]
    return {**triad("prompt"), "children": children}


def picture_graph(name: str, *boxes: list[Any]) -> dict[str, Any]:
    children = [
        {**triad(f"{name} part {n}"), "relation": "contrast: against", "boxes": b}
        for n, b in enumerate(boxes, 1)
    ]
    return {**triad(name), "children": children}


BOX = {"x0": 100, "y0": 200, "x1": 500, "y1": 900}


def verdict(winner: str, *nodes: str, certainty: int = 5) -> dict[str, Any]:
    evidence = [{"node": node, "rationale": f"because of {node}", "supports": winner} for node in nodes]
    return {
        "discussion": f"[A.1] against [B.1], so {winner}.",
        "evidence": evidence,
        "winner": winner,
        "certainty": certainty,
    }


def difference(label: str, keeps: str, *, a: Any = None, b: Any = None) -> dict[str, Any]:
    return {
        "label": label,
        "a": f"{label} in A",
        "boxes_a": [BOX] if a is None else a,
        "b": f"{label} in B",
        "boxes_b": [BOX] if b is None else b,
        "keeps": keeps,
    }


class Judge:
    """A server that reads the request and answers each stage well; `prefers` picks the winner by picture."""

    def __init__(self, prefers: str = "A") -> None:
        self.prefers = prefers
        self.asked: list[dict[str, Any]] = []

    @property
    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._answer)
        return app

    def stages(self) -> list[str]:
        return [body["response_format"]["json_schema"]["name"] for body in self.asked]

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        stage = body["response_format"]["json_schema"]["name"]
        return web.json_response(completion(json.dumps(self.reply(stage, body))))

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        if stage.startswith("prompt_graph"):
            return prompt_graph("everything glows", "NOTHING  lasts", "not in the prompt")
        if stage.startswith("picture_graphs"):
            return {"a": picture_graph("a", [BOX], []), "b": picture_graph("b", [BOX], [], [BOX, BOX])}
        if stage.startswith("picture"):
            return picture_graph("solo", [BOX], [])
        if stage == "answer":
            return {
                "reasoning": "as [A.1] shows",
                "evidence": [{"node": "A.1", "rationale": "x"}],
                "answer": "B",
                "certainty": 3,
            }
        if stage == "contrast":
            contrast = {"intended": "what is meant", "differences": [difference("the skull", self.prefers)]}
            return contrast | verdict(self.prefers, "contrast.1", "contrast.9")
        if stage.startswith("contrast"):
            return {
                "differences": [difference("the skull", self.prefers), difference("a frame", "indifferent")]
            }
        return verdict(self.prefers, "A.1", "B.2", "prompt.1", "A.9")
