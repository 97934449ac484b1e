"""A Screenshot portal on a real bus: answers as it is told to, and writes down what it is asked."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Self

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import Proxy, open_dbus_connection

NAME = "org.freedesktop.portal.Desktop"
REQUESTS = "/org/freedesktop/portal/desktop/request"
Answer = Callable[["PortalTwin", Message], None]


class PortalTwin:
    """A context manager. An answer is used up by one call; a call without one is `unexpected`."""

    def __init__(self, address: str) -> None:
        self.asked: list[dict[str, Any]] = []  # the options of each call, without their types
        self.unexpected: list[Message] = []
        self._answers: deque[Answer] = deque()
        self.connection = open_dbus_connection(address)
        Proxy(message_bus, self.connection, timeout=5).RequestName(NAME)
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.connection.close()

    def answers(self, *answers: Answer) -> None:
        self._answers.extend(answers)

    @property
    def interactive(self) -> list[bool]:
        """Of each call, whether the person may choose what is shown."""
        return [options["interactive"] for options in self.asked]

    def _serve(self) -> None:
        while True:
            try:
                message = self.connection.receive()
            except ConnectionError:
                return
            if message.header.message_type is MessageType.method_call:
                self._answer(message)

    def _answer(self, call: Message) -> None:
        if call.header.fields[HeaderFields.member] != "Screenshot" or not self._answers:
            self.unexpected.append(call)
            self.connection.send(new_error(call, "org.freedesktop.DBus.Error.Failed"))
            return
        parent, options = call.body
        self.asked.append({"parent": parent} | {name: value for name, (_, value) in options.items()})
        self._answers.popleft()(self, call)


def responds(
    code: int,
    uri: str = "",
    make: Callable[[], object] = lambda: None,
    *,
    early: bool = False,
    after: float = 0,
) -> Answer:
    """Take the request, *make* what is handed over, and send the response.

    early: before the reply to the call itself, as a portal may.
    after: seconds that the person takes over its question.
    """

    def answer(portal: PortalTwin, call: Message) -> None:
        make()
        if not early:
            takes_it_and_says_no_more(portal, call)
        time.sleep(after)
        portal.connection.send(_response(call, code, uri))
        if early:
            takes_it_and_says_no_more(portal, call)

    return answer


def takes_it_and_says_no_more(portal: PortalTwin, call: Message) -> None:
    portal.connection.send(new_method_return(call, "o", (_request(call),)))


def responds_with_nonsense(portal: PortalTwin, call: Message) -> None:
    takes_it_and_says_no_more(portal, call)
    signal = _response(call, 0, "")
    signal.header.fields[HeaderFields.signature] = "s"
    signal.body = ("done",)
    portal.connection.send(signal)


def fails(error: str) -> Answer:
    return lambda portal, call: portal.connection.send(new_error(call, error))


def _request(call: Message) -> str:
    sender = call.header.fields[HeaderFields.sender][1:].replace(".", "_")
    return f"{REQUESTS}/{sender}/{call.body[1]['handle_token'][1]}"


def _response(call: Message, code: int, uri: str) -> Message:
    emitter = DBusAddress(_request(call), interface="org.freedesktop.portal.Request")
    results = {"uri": ("s", uri)} if uri else {}
    signal = new_signal(emitter, "Response", "ua{sv}", (code, results))
    signal.header.fields[HeaderFields.destination] = call.header.fields[HeaderFields.sender]
    return signal
