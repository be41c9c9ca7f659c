"""Where this plugin is installed."""

from __future__ import annotations

from pathlib import Path

PLUGIN = Path(__file__).resolve().parent.parent.parent
TEMPLATES = PLUGIN / "templates"
