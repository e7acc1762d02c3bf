"""The requests of both clients about the daemon and its workspace. The clients send them."""

from __future__ import annotations

from typing import Awaitable, Optional

from . import _requests as requests
from ._calls import R, Request
from .replies import ChecksReply, ConfigReply, DialectsReply, MetricsReply, StatusReply, StopReply


class Reports:
    """The methods of `Client` about the daemon and its workspace."""

    timeout: float

    def _ask(self, request: Request[R], timeout: Optional[float]) -> R:
        raise NotImplementedError

    def checks(
        self,
        job: Optional[int] = None,
        *,
        unseen: bool = False,
        seconds: float = 0.0,
        timeout: Optional[float] = None,
    ) -> ChecksReply:
        """Returns the last result of every check; with `job`, of the checks that ran because of it.

        With `unseen`: only the results for jobs of this session that no reply had yet; each is returned once. `seconds`
        is the time to wait for checks that still run; it comes on top of `timeout`.
        """
        limit = (self.timeout if timeout is None else timeout) + seconds
        return self._ask(requests.checks(job, unseen, seconds), limit)

    def config(self, *, timeout: Optional[float] = None) -> ConfigReply:
        """Returns the settings that apply, with their sources, and the values of `.editd.toml` that wait."""
        return self._ask(requests.config(), timeout)

    def dialects(self, *, timeout: Optional[float] = None) -> DialectsReply:
        """Returns the payloads that the daemon understands."""
        return self._ask(requests.dialects(), timeout)

    def metrics(self, *, timeout: Optional[float] = None) -> MetricsReply:
        """Returns counters, latencies and the present state as OpenMetrics text."""
        return self._ask(requests.metrics(), timeout)

    def status(self, *, trace: Optional[int] = None, timeout: Optional[float] = None) -> StatusReply:
        """Returns the daemon's state and counters; with `trace`, also the times of this job (0: the newest)."""
        return self._ask(requests.status(trace), timeout)

    def stop(self, *, timeout: Optional[float] = None) -> StopReply:
        """Stops the daemon, which finishes its jobs, and waits for its exit. The next call starts another one."""
        return self._ask(requests.stop(), timeout)


class AsyncReports:
    """The same methods for `AsyncClient`."""

    timeout: float

    def _ask(self, request: Request[R], timeout: Optional[float]) -> Awaitable[R]:
        raise NotImplementedError

    async def checks(
        self,
        job: Optional[int] = None,
        *,
        unseen: bool = False,
        seconds: float = 0.0,
        timeout: Optional[float] = None,
    ) -> ChecksReply:
        """Returns the last result of every check; with `job`, of the checks that ran because of it.

        With `unseen`: only the results for jobs of this session that no reply had yet; each is returned once. `seconds`
        is the time to wait for checks that still run; it comes on top of `timeout`.
        """
        limit = (self.timeout if timeout is None else timeout) + seconds
        return await self._ask(requests.checks(job, unseen, seconds), limit)

    async def config(self, *, timeout: Optional[float] = None) -> ConfigReply:
        """Returns the settings that apply, with their sources, and the values of `.editd.toml` that wait."""
        return await self._ask(requests.config(), timeout)

    async def dialects(self, *, timeout: Optional[float] = None) -> DialectsReply:
        """Returns the payloads that the daemon understands."""
        return await self._ask(requests.dialects(), timeout)

    async def metrics(self, *, timeout: Optional[float] = None) -> MetricsReply:
        """Returns counters, latencies and the present state as OpenMetrics text."""
        return await self._ask(requests.metrics(), timeout)

    async def status(self, *, trace: Optional[int] = None, timeout: Optional[float] = None) -> StatusReply:
        """Returns the daemon's state and counters; with `trace`, also the times of this job (0: the newest)."""
        return await self._ask(requests.status(trace), timeout)

    async def stop(self, *, timeout: Optional[float] = None) -> StopReply:
        """Stops the daemon, which finishes its jobs, and waits for its exit. The next call starts another one."""
        return await self._ask(requests.stop(), timeout)
