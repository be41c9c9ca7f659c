"""What a closed network still reaches: the model, and hosts that a person named."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from .backend import Place

# Inside the sandbox's own network, where nothing else listens.
PROXY_PORT = 3128
_WEB = (80, 443)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_BASE_URLS = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE")
_URLS_OF_ONE = {"gemini": ("GOOGLE_GEMINI_BASE_URL",), "amp": ("AMP_URL",)}
_MODELS = {
    "claude": ("api.anthropic.com", "platform.claude.com", "console.anthropic.com"),
    "codex": ("api.openai.com", "auth.openai.com", "chatgpt.com"),
    "gemini": ("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com")
    + ("oauth2.googleapis.com",),
    "amp": ("ampcode.com",),
    "copilot": ("api.githubcopilot.com", "api.github.com"),
}


class Rule(NamedTuple):
    """`host` may begin with `*.`; a port of 0 stands for those of the web."""

    host: str
    port: int = 0


class Allowed(NamedTuple):
    rules: tuple[Rule, ...]
    loopback: tuple[int, ...]

    def reaches(self, host: str, port: int) -> bool:
        return any(_matches(rule, host.lower().rstrip("."), port) for rule in self.rules)


def allowed(place: Place) -> Allowed:
    named = [_rule(text) for text in place.allow_hosts]
    ours = [r.port for r in named if r.host in _LOOPBACK and r.port]
    far = [rule for rule in named if rule.host not in _LOOPBACK]
    return Allowed((*_model(place), *far), (*_own_ports(place), *ours))


def ports(place: Place) -> tuple[int, ...]:
    """Ports of this machine's loopback that are the same inside."""
    return allowed(place).loopback


def variables() -> dict[str, str]:
    """What programs read, in both spellings."""
    proxy = f"http://127.0.0.1:{PROXY_PORT}"
    found = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy)
    found["NO_PROXY"] = ",".join(_LOOPBACK)
    return {**found, **{name.lower(): value for name, value in found.items()}}


def hosts(place: Place) -> list[str]:
    return [_shown(rule) for rule in allowed(place).rules]


def sentence(place: Place) -> str:
    names = [*hosts(place), *(f"127.0.0.1:{port}" for port in ports(place))]
    return f"only {', '.join(names)}" if names else "none"


def _shown(rule: Rule) -> str:
    return f"{rule.host}:{rule.port}" if rule.port else rule.host


def _model(place: Place) -> list[Rule]:
    """The provider's own hosts, unless the person's environment names another endpoint."""
    urls = _urls(place)
    if urls:
        far = [url for url in urls if url.hostname not in _LOOPBACK]
        return [Rule(str(url.hostname), _port(url)) for url in far]
    return [Rule(host) for name in place.agent_names for host in _MODELS.get(name, ())]


def _own_ports(place: Place) -> list[int]:
    return [_port(url) for url in _urls(place) if url.hostname in _LOOPBACK]


def _urls(place: Place) -> list[SplitResult]:
    own = [name for agent in place.agent_names for name in _URLS_OF_ONE.get(agent, ())]
    split = [urlsplit(place.environment.get(name) or "") for name in (*_BASE_URLS, *own)]
    return [url for url in split if url.hostname]


def _port(url: SplitResult) -> int:
    try:
        return url.port or (443 if url.scheme == "https" else 80)
    except ValueError:
        return 443


def _rule(text: str) -> Rule:
    host, _, port = text.lower().rpartition(":")
    return Rule(host, int(port)) if host and port.isdigit() else Rule(text.lower())


def _matches(rule: Rule, host: str, port: int) -> bool:
    if port not in ((rule.port,) if rule.port else _WEB):
        return False
    wide = rule.host.startswith("*.") and host.endswith(rule.host[1:])
    return wide or host == rule.host
