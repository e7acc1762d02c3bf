"""Starts a daemon that continues to run after this process has exited."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from typing import List, Optional

from .errors import ConnectError

IDLE_EXIT = "30m"
# The exit status of a daemon that does not start since another one serves the workspace.
OCCUPIED = 75
# Variables that a service manager sets for one process only.
_NOT_FOR_CHILDREN = (
    "NOTIFY_SOCKET",
    "LISTEN_PID",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "JOURNAL_STREAM",
)


class SpawnedDaemon:
    """A daemon that was started here."""

    def __init__(self, root: str, socket: Optional[str], program: Optional[str]) -> None:
        self.program = find_program(program)
        words: List[str] = [self.program, "--workspace", root, "--idle-exit-default", IDLE_EXIT]
        if socket is not None:
            words += ["--socket", socket]
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_CHILDREN}
        null = subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                words,
                cwd=root,
                env=environment,
                stdin=null,
                stdout=null,
                stderr=null,
                close_fds=True,
                start_new_session=True,
            )
        except OSError as error:
            raise ConnectError(f"{self.program} cannot be started: {error}") from error
        # The thread takes the exit status, so that no zombie process stays.
        threading.Thread(target=self._process.wait, name="editd-exit", daemon=True).start()

    def exit_status(self) -> Optional[int]:
        """Returns the exit status, or `None` while the daemon runs."""
        return self._process.poll()


def find_program(named: Optional[str]) -> str:
    """Returns the absolute path of the daemon's program: the named one, else `EDITD_BIN`, else `editd` in `PATH`."""
    name = named or os.environ.get("EDITD_BIN") or "editd"
    found = shutil.which(name)
    if found is None:
        raise ConnectError(f"{name} is not an installed program; install editd in PATH, or name it in EDITD_BIN")
    return os.path.abspath(found)
