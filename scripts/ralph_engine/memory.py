"""Large pieces of memory go back to the system as soon as they are free."""

from __future__ import annotations

import ctypes

_M_MMAP_THRESHOLD = -3
_LARGE = 1024 * 1024


def give_back() -> None:
    """glibc by itself keeps ever larger ones: an agent's long lines then lie beside each other."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, _LARGE)
