"""A network of its own for one process, with a line to this one that can be cut."""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")

NEW_NETWORK = 0x40000000
"""CLONE_NEWNET, for setns(2) and unshare(2)."""
LAST_ROUTE = "4294967295"
"""The metric of the route that counts when there is no other."""


def leave_shared_network() -> None:
    """Moves this thread, and what it starts from now on, to a network with nothing but a loopback device, if the machine allows it.

    Browsers drop their requests when a network device comes or goes, so tests that make devices do it where no browser of
    another test sees them.
    """
    if os.geteuid() != 0 or not shutil.which("ip"):
        return
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK):
        return
    subprocess.run(["ip", "link", "set", "lo", "up"], capture_output=True, check=True)


class Namespace:
    """A network namespace (network_namespaces(7)) with a loopback device and a pair of veth devices, which is cut at our end.

    At the other end nothing is closed: packets get no answer.
    """

    def __init__(self) -> None:
        """Creates it; raises ``OSError`` where the machine does not allow it."""
        if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nsenter"):
            raise OSError("network namespaces need root, ip (iproute2) and nsenter (util-linux)")
        # Another job may have a process with our number, in a process namespace of its own.
        number = (os.stat("/proc/self/ns/pid").st_ino + os.getpid()) % 16_384
        self.name = f"freshet{number}"
        self._device = f"frt{number}"
        # A range for tests of networks (RFC 2544), in parts of four addresses.
        first = number * 4
        self._network = f"198.18.{first >> 8}.{first & 255}/30"
        self.near = f"198.18.{first >> 8}.{(first & 255) + 1}"
        self.far = f"198.18.{first >> 8}.{(first & 255) + 2}"
        # What a process with our number left that was killed.
        self.close()
        try:
            self._ip("netns", "add", self.name)
            self._ip("link", "add", self._device, "type", "veth", "peer", "name", "line", "netns", self.name)
            self._ip("address", "add", f"{self.near}/30", "dev", self._device)
            # While the line is cut, nothing goes another way.
            self._ip("route", "add", "blackhole", self._network, "metric", LAST_ROUTE)
            self._ip("-n", self.name, "address", "add", f"{self.far}/30", "dev", "line")
            self._ip("-n", self.name, "link", "set", "lo", "up")
            self._ip("-n", self.name, "link", "set", "line", "up")
            self.mend()
        except OSError:
            self.close()
            raise

    @staticmethod
    def _ip(*words: str) -> None:
        answer = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if answer.returncode:
            raise OSError(f"ip {' '.join(words)}: {answer.stderr.strip()}")

    def cut(self) -> None:
        """Cuts the line."""
        self._ip("link", "set", self._device, "down")

    def mend(self) -> None:
        """Lets the line carry packets again."""
        self._ip("link", "set", self._device, "up")

    def program(self, path: Path, program: str) -> Path:
        """Writes a script that runs a program in the namespace."""
        path.write_text(f'#!/bin/sh\nexec nsenter --net=/run/netns/{self.name} "{program}" "$@"\n')
        path.chmod(0o755)
        return path

    def _within(self, make: Callable[[], Value]) -> Value:
        """Calls something that makes a socket, which stays in the namespace in every thread that uses it."""

        def enter() -> Value:
            with open(f"/run/netns/{self.name}", encoding="ascii") as place:
                if ctypes.CDLL(None, use_errno=True).setns(place.fileno(), NEW_NETWORK):
                    raise OSError(ctypes.get_errno(), "setns")
            return make()

        # A thread of its own, which ends there.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(enter).result()

    def connect(self, port: int) -> socket.socket:
        """Connects to a port of the loopback device."""
        return self._within(lambda: socket.create_connection(("127.0.0.1", port), timeout=30))

    def listen(self, port: int) -> socket.socket:
        """Listens to a port of the loopback device."""
        return self._within(lambda: socket.create_server(("127.0.0.1", port), backlog=64))

    def close(self) -> None:
        """Removes all of it."""
        for words in (
            ["link", "delete", self._device], ["route", "delete", "blackhole", self._network], ["netns", "delete", self.name],
        ):
            subprocess.run(["ip", *words], capture_output=True, check=False)
