"""JAX on one thread."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax
from jaxlib import xla_client

P = ParamSpec("P")
R = TypeVar("R")


_devices: list[jax.Device] = []


def one_thread() -> jax.Device:
    """Returns a CPU device of the learners' own, which computes on one thread: the same one every time.

    XLA reads the number of threads from the environment when a client is made; the process's other clients keep theirs.
    """
    if _devices:
        return _devices[0]
    name = "PJRT_NPROC"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        client: Any = xla_client.make_cpu_client(num_devices=1)
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before
    _devices.append(client.local_devices()[0])
    return _devices[0]


def on_one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Makes a function compute on `one_thread`, unless JAX has a GPU or the program has chosen a device.

    The order of sums depends on the number of threads, so networks are the same bits on any machine's number of cores.
    Networks of the usual size also cost more CPU time on several threads.
    """

    @functools.wraps(function)
    def confined(*args: P.args, **kwargs: P.kwargs) -> R:
        config: Any = jax.config
        chosen = config.jax_default_device is not None or jax.default_backend() != "cpu"
        with contextlib.nullcontext() if chosen else jax.default_device(one_thread()):
            return function(*args, **kwargs)

    return confined
