"""The process of a Device: it runs under `heddle run` and does what comes over a pipe.

A message is the length of a JSON text, the text, and as many bytes as its "bytes" says. Answers
have {"ok": true} or {"error": NAME}.
"""
from __future__ import annotations

import base64
import json
import os
import signal
import struct
from typing import Any, BinaryIO, Dict, List, Optional, Tuple

from .driver import Driver, DriverError, kernel_records

Message = Tuple[Dict[str, Any], bytes]
_LENGTH = struct.Struct("<Q")


def send(to: BinaryIO, message: Dict[str, Any], data: bytes = b"") -> None:
    """One message with its bytes."""
    text = json.dumps({**message, "bytes": len(data)}).encode()
    to.write(_LENGTH.pack(len(text)) + text)
    to.write(data)
    to.flush()


def receive(source: BinaryIO) -> Optional[Message]:
    """The next message; None: the other side has gone."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    text = source.read(length)
    if len(text) < length:
        return None
    message = json.loads(text)
    data = source.read(message["bytes"])
    return (message, data) if len(data) == message["bytes"] else None


class Server:
    """Does what is asked with a driver."""

    def __init__(self) -> None:
        self.driver = Driver()
        self._records = 0

    def _launch(self, message: Dict[str, Any]) -> Dict[str, Any]:
        values = [base64.b64decode(v) for v in message["values"]]
        self.driver.launch(message["function"], message["grid"], message["block"], message["shared"], values)
        records: List[Dict[str, Any]] = kernel_records(self._records) or []
        self._records += len(records)
        return {"kernels": records}

    def do(self, message: Dict[str, Any], data: bytes) -> Message:
        """One request."""
        what = message["do"]
        if what == "launch":
            return self._launch(message), b""
        if what == "read":
            return {}, self.driver.read(message["pointer"], message["count"])
        if what == "write":
            self.driver.write(message["pointer"], data)
            return {}, b""
        if what == "parameters":
            return {"sizes": self.driver.parameters(message["function"])}, b""
        if what == "global":
            return self.driver.global_at(message["module"], message["name"]), b""
        if what == "free":
            self.driver.free(message["pointer"])
            return {}, b""
        return {"value": self._value(what, message, data)}, b""

    def _value(self, what: str, message: Dict[str, Any], data: bytes) -> int:
        if what == "allocate":
            return self.driver.allocate(message["count"])
        if what == "load":
            return self.driver.load(data)
        if what == "function":
            return self.driver.function(message["module"], message["name"])
        assert what == "attribute", what
        return self.driver.attribute(message["number"])


def main(requests: int, answers: int) -> None:
    """Until the other side closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # heddle's library then ends the run on Ctrl-C
    with os.fdopen(requests, "rb") as source, os.fdopen(answers, "wb") as to:
        server = Server()
        send(to, {"ok": True})
        while True:
            request = receive(source)
            if request is None:
                return
            try:
                message, data = server.do(*request)
                send(to, {"ok": True, **message}, data)
            except DriverError as why:
                send(to, {"error": why.name, "call": why.call})
