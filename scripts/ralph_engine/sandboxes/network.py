"""What a closed network still reaches: the model, and hosts that a person named."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from .backend import Place

# Inside the sandbox's own network, where nothing else listens.
PROXY_PORT = 3128
_WEB = (80, 443)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_OPENAI = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
_URLS = {
    "claude": ("ANTHROPIC_BASE_URL",),
    "codex": _OPENAI,
    "gemini": ("GOOGLE_GEMINI_BASE_URL",),
    "amp": ("AMP_URL",),
    "copilot": (),
}
# Of agents that work with anybody's model.
_ANY_URLS = ("ANTHROPIC_BASE_URL", *_OPENAI)
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


def of_own_machine(place: Place) -> Place:
    """As a microVM has it: none of the host's endpoints, and a 127.0.0.1 that is not the host's."""
    far = tuple(text for text in place.allow_hosts if _rule(text).host not in _LOOPBACK)
    return place._replace(environment={}, allow_hosts=far)


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
    """Each provider's own hosts, unless the person's environment names another endpoint."""
    found: list[Rule] = []
    for agent in place.agent_names:
        urls = _urls(place, agent)
        far = [url for url in urls if url.hostname not in _LOOPBACK]
        found += [Rule(str(url.hostname), _port(url)) for url in far]
        found += [] if urls else [Rule(host) for host in _MODELS.get(agent, ())]
    return list(dict.fromkeys(found))


def _own_ports(place: Place) -> list[int]:
    urls = [url for agent in place.agent_names for url in _urls(place, agent)]
    return list(dict.fromkeys(_port(url) for url in urls if url.hostname in _LOOPBACK))


def _urls(place: Place, agent: str) -> list[SplitResult]:
    names = _URLS.get(agent, _ANY_URLS)
    split = [urlsplit(place.environment.get(name) or "") for name in names]
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
