"""Secrets in commands and flags."""

from __future__ import annotations

import time

import pytest
from ralph_engine.redact import redacted, redacted_words

X = "[redacted]"

HIDDEN = {
    "sk-ant-api03-abcdef": X,
    "--key=sk-abcdef123456 go": f"--key={X} go",
    "ghp_abcdef123456": X,
    "gho_abcdef123456": X,
    "github_pat_11ABC_def": X,
    "glpat-abcdef123": X,
    "xoxb-123456-abc": X,
    "AKIAABCDEFGHIJKLMNOP": X,
    "eyJhbGci.eyJzdWIi.c2ln": X,
    "GH_TOKEN=abc make": f"GH_TOKEN={X} make",
    "gh_token=abc make": f"gh_token={X} make",
    "MY_SECRET='a b' make": f"MY_SECRET={X} make",
    'DB_PASSWORD="a b" make': f"DB_PASSWORD={X} make",
    'DB_PASSWORD=a"b c"d make': f"DB_PASSWORD={X} make",
    "OPENAI_KEY=abc make": f"OPENAI_KEY={X} make",
    "TOKEN_FILE=abc make": f"TOKEN_FILE={X} make",
    "--api-key abc --fast": f"--api-key {X} --fast",
    "--api-key=abc --fast": f"--api-key={X} --fast",
    "--apikey abc": f"--apikey {X}",
    "--auth-token 'a b' x": f"--auth-token {X} x",
    '--api-key "left open x': f"--api-key {X}",
    '{"token": "abc", "a": 1}': f'{{"token": {X} "a": 1}}',
    "curl -H 'X-Api-Key: abc' u": f"curl -H 'X-Api-Key: {X}",
    "curl -H 'Authorization: Basic abc' u": f"curl -H 'Authorization: {X}' u",
    "use bearer abc now": f"use bearer {X} now",
    "git push https://me:pw@host/x": f"git push https://me:{X}@host/x",
    "--token abc --token def": f"--token {X} --token {X}",
}
KEPT = [
    "",
    "make test",
    "--model opus",
    "--max-tokens=4000",
    "--max-tokens 4000",
    "MAX_TOKENS=4",
    "tokenizer=x",
    "--keyword abc",
    "risk-taking-is-fine",
    "npm_config_cache=x",
    "http://host:8080/path@v1",
    "Fix the secret handling",
]


@pytest.mark.parametrize(("text", "wanted"), HIDDEN.items())
def test_what_looks_like_a_secret_is_hidden(text: str, wanted: str) -> None:
    assert redacted(text) == wanted


@pytest.mark.parametrize("text", KEPT)
def test_other_text_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("text", HIDDEN)
def test_hiding_twice_is_hiding_once(text: str) -> None:
    once = redacted(text)
    assert "abc" not in once and redacted(once) == once


def test_a_secret_in_the_word_after_its_flag_is_hidden() -> None:
    words = ["claude", "--api-key", "abc", "--model", "opus", "--token=def", "go"]
    wanted = ["claude", "--api-key", X, "--model", "opus", f"--token={X}", "go"]
    assert redacted_words(words) == wanted


@pytest.mark.parametrize("piece", ["-", "a-", "token", "token=", 'token="', "eyJ", "eyJ.", "://"])
def test_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    started = time.process_time()
    redacted(piece * 20_000)
    assert time.process_time() - started < 5
