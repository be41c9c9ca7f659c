"""Text that is text on any page: no markup, no control characters."""

from __future__ import annotations

import html

from ..harmless import harmless


def escaped(text: str) -> str:
    return html.escape(harmless(" ".join(text.split())))
