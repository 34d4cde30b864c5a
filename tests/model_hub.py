"""A Hugging Face hub on 127.0.0.1 with one repository: what huggingface_hub asks for to list, download and verify.

hub = ModelHub({"tiny-Q4_0.gguf": data})
with Loopback(hub.app) as server: ...              HF_ENDPOINT=server.url
"""

import hashlib
from dataclasses import dataclass, field

from aiohttp import web

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class ModelHub:
    """`status` is answered instead of the listing, `cdn` is where downloads are sent on to.

    `asked` has the file, or "info", and the Authorization of each request but those for headers.
    """

    files: dict[str, bytes]
    repo: str = "tiny"
    commit: str = COMMIT
    status: int = 200
    cdn: str = ""
    damaged: set[str] = field(default_factory=set[str])
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/api/models/{owner}/{repo}/revision/{revision}", self._info)
        app.router.add_get("/api/models/{owner}/{repo}/tree/{revision}", self._tree)
        app.router.add_route("*", "/{owner}/{repo}/resolve/{revision}/{file}", self._resolve)
        return app

    async def _info(self, request: web.Request) -> web.Response:
        self.requests.append(("info", request.headers.get("Authorization", "")))
        if self.status != 200:
            return web.Response(status=self.status)
        if request.match_info["repo"] != self.repo:
            return web.Response(status=404, headers={"X-Error-Code": "RepoNotFound"})
        siblings = [{"rfilename": name, "size": len(data)} for name, data in self.files.items()]
        return web.json_response(
            {
                "id": f"{request.match_info['owner']}/{self.repo}",
                "sha": self.commit,
                "siblings": [{"rfilename": "README.md", "size": 3}, *siblings],
            }
        )

    async def _tree(self, _: web.Request) -> web.Response:
        return web.json_response(
            [
                {
                    "type": "file",
                    "path": name,
                    "oid": "0" * 40,
                    "size": len(data),
                    "lfs": {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130},
                }
                for name, data in self.files.items()
            ]
        )

    async def _resolve(self, request: web.Request) -> web.Response:
        file = request.match_info["file"]
        data = self.files[file]
        headers = {"X-Repo-Commit": self.commit, "ETag": f'"{hashlib.sha256(data).hexdigest()}"'}
        linked = {"X-Linked-Size": str(len(data)), "X-Linked-Etag": headers["ETag"]}
        if request.method == "GET":
            self.requests.append((file, request.headers.get("Authorization", "")))
        if self.cdn:
            return web.Response(
                status=302, headers={**headers, **linked, "Location": f"{self.cdn}{request.path}"}
            )
        return web.Response(headers=headers, body=bytes(len(data)) if file in self.damaged else data)
