"""lsp: what an editor learns from clangd about a file: a small client of the language server protocol."""

import json
import subprocess
from pathlib import Path
from typing import Any


class Clangd:
    """clangd, as an editor starts it for the folder root."""

    def __init__(self, program: Path, root: Path) -> None:
        command = [program, "--log=error", "--background-index=false"]
        self.process_ = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._send("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}, id=1)
        self._receive()
        self._send("initialized", {})

    def complaints(self, file: Path, text: str | None = None) -> list[str]:
        """Errors and warnings as "LINE: MESSAGE". text: what stands in the editor, if it is not the file's content."""
        text = file.read_text(encoding="utf-8") if text is None else text
        document = {"uri": file.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text}
        self._send("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == file.as_uri():
                break
        self._send("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
        return [f"{one['range']['start']['line'] + 1}: {one['message']}" for one in message["params"]["diagnostics"]]

    def end(self) -> None:
        self.process_.kill()
        self.process_.communicate()

    def _send(self, method: str, params: dict[str, Any], **further: int) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **further}).encode()
        assert self.process_.stdin is not None
        self.process_.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process_.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process_.stdout is not None
        length = 0
        while line := self.process_.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise AssertionError("clangd has ended")
        return json.loads(self.process_.stdout.read(length))
