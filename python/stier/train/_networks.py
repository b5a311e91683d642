"""Networks that settings name by their files."""

from __future__ import annotations

from os import PathLike

from stier.errors import ArgumentError
from stier.network import Network


def network_of(setting: str, file: str | PathLike[str]) -> Network:
    """Returns the network in the file that the setting names."""
    try:
        return Network.load(file)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{setting} must be the file of a network, got '{file}': {error}") from error
