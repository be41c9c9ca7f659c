"""Make the Python environment that a requirements file asks for, once, and print its folder.

Started by python.sh with the chosen interpreter, -I -S, before any package or the engine exists.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing.TYPE_CHECKING without the time that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_SECONDS = 600


class Failed(Exception):
    """What could not be done, and the next step."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.hint = hint


def main(cache: str, requirements: str) -> int:
    cache, requirements = os.path.abspath(cache), os.path.abspath(requirements)
    try:
        os.makedirs(cache, mode=0o700, exist_ok=True)
        interpreter = real_interpreter()
        folder = os.path.join(cache, "env-" + key(interpreter, requirements))
        make_once(folder, lambda made: build(made, folder, interpreter, requirements))
        if os.path.samefile(requirements, os.path.join(HERE, "requirements.txt")):
            pin(os.path.join(cache, "hooks.env"), [interpreter, *shell_parser(folder)])
    except Failed as failed:
        say(f"{failed}\nhint: {failed.hint}")
        return 2
    except OSError as error:
        say(
            f"cannot use the Python environments in {cache}: {error}\n"
            "hint: make that folder writable, or set XDG_CACHE_HOME to a folder that you can write"
        )
        return 2
    except KeyboardInterrupt:
        return 130
    sys.stdout.buffer.write(os.fsencode(folder) + b"\n")
    return 0


def say(text: str) -> None:
    sys.stderr.write(f"ralph: {text}\n")
    sys.stderr.flush()


def real_interpreter() -> str:
    """The interpreter behind links and a venv: those may be changed or deleted under the hooks."""
    path = os.path.realpath(sys.executable)
    if os.path.exists(os.path.join(os.path.dirname(os.path.dirname(path)), "pyvenv.cfg")):
        # A venv made with --copies: no link leads out of it.
        base = os.path.join(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info))
        if os.access(base, os.X_OK):
            return os.path.realpath(base)
    return path


def key(interpreter: str, requirements: str) -> str:
    import hashlib

    parts = [interpreter, sys.version, os.uname().machine, text_of(requirements)]
    return hashlib.sha256(os.fsencode("\0".join(parts))).hexdigest()[:16]


def text_of(requirements: str) -> str:
    with open(requirements, encoding="utf-8") as file:
        text = file.read()
    for line in text.splitlines():
        if line.startswith("-r "):
            text += text_of(os.path.join(os.path.dirname(requirements), line[3:].strip()))
    return text


def make_once(folder: str, build: Callable[[str], None]) -> None:
    """Have build(path) fill a private folder, then rename that to `folder`."""
    if is_complete(folder):
        return
    import shutil
    import tempfile

    cache = os.path.dirname(folder)
    lock = take_lock(os.path.join(cache, "lock"))
    try:
        # Under the lock nobody else builds: what lies here was left by a builder that died.
        for name in os.listdir(cache):
            if name.startswith("building-"):
                shutil.rmtree(os.path.join(cache, name), ignore_errors=True)
        if is_complete(folder):
            return
        private = tempfile.mkdtemp(prefix="building-", dir=cache)
        try:
            made = os.path.join(private, "made")
            build(made)
            with open(os.path.join(made, ".complete"), "w"):
                pass
            if os.path.lexists(folder):
                os.rename(folder, os.path.join(private, "half-made"))
            os.rename(made, folder)
        finally:
            shutil.rmtree(private, ignore_errors=True)
    finally:
        os.close(lock)


def is_complete(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, ".complete"))


def take_lock(path: str) -> int:
    import fcntl
    import time

    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + LIMIT_SECONDS
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            pass
        if time.monotonic() > deadline:
            raise Failed(
                f"another start has held {path} for {LIMIT_SECONDS} seconds",
                "end that start (it may wait for the network), then start again",
            )
        if not told:
            say(f"waiting for another start that fills {os.path.dirname(path)}")
            told = True
        time.sleep(0.05)


def build(made: str, folder: str, interpreter: str, requirements: str) -> None:
    import shutil

    log = folder + ".log"
    uv = shutil.which("uv")
    say(f"making the Python environment {folder} (once, with {'uv' if uv else 'pip'})")
    with open(log, "wb"):
        pass
    if not (uv and build_with_uv(uv, made, interpreter, requirements, log)):
        if uv:
            # uv reads no pip settings, and a version manager's shim may stand for no uv at all.
            say(f"uv could not make it (log: {log}), trying pip")
        build_with_pip(made, folder, interpreter, requirements, log)
    os.unlink(log)


def build_with_uv(uv: str, made: str, interpreter: str, requirements: str, log: str) -> bool:
    python = os.path.join(made, "bin", "python")
    install = [uv, "pip", "install", "--compile-bytecode", "--python", python, "-r", requirements]
    return run([uv, "venv", "--python", interpreter, made], log) and run(install, log)


def build_with_pip(made: str, folder: str, interpreter: str, requirements: str, log: str) -> None:
    if not run([interpreter, "-I", "-m", "venv", "--clear", made], log):
        raise Failed(
            f"cannot make the Python environment {folder}: the venv module of {interpreter}"
            f" does not work (log: {log})",
            "install it (Debian, Ubuntu: apt install python3-venv), or install uv,"
            " or set RALPH_PYTHON to another Python; then start again",
        )
    python = os.path.join(made, "bin", "python")
    if not run([python, "-I", "-m", "pip", "install", "--no-input", "-r", requirements], log):
        raise Failed(
            f"cannot make the Python environment {folder}: {last_line(log)} (log: {log})",
            "the first start downloads packages: check network, proxy and disk, then start again",
        )


def run(command: list[str], log: str) -> bool:
    """Whether the command succeeded; what it prints goes to the log."""
    import subprocess

    with open(log, "ab") as output:
        try:
            code = subprocess.call(
                command,
                # Not the caller's folder: a uv.toml or pip setting of the project has no say here.
                cwd=os.path.dirname(log),
                env={**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=LIMIT_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            output.write(f"{error}\n".encode("utf-8", "backslashreplace"))
            return False
    return code == 0


def last_line(log: str) -> str:
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1][:200] if lines else "the installer failed and said nothing"


def shell_parser(folder: str) -> list[str]:
    """The guard's shfmt: the environment's own, else one on PATH, else none."""
    own = os.path.join(folder, "bin", "shfmt")
    if os.access(own, os.X_OK):
        return [own]
    import shutil

    found = shutil.which("shfmt")
    return [os.path.abspath(found)] if found else []


def pin(path: str, programs: list[str]) -> None:
    """Hooks read this file on each call: it must never be seen half-written."""
    lines = b"".join(os.fsencode(program) + b"\n" for program in programs)
    try:
        with open(path, "rb") as file:
            if file.read() == lines:
                return
    except FileNotFoundError:
        pass
    private = f"{path}.{os.getpid()}"
    with open(private, "wb") as file:
        file.write(lines)
    os.replace(private, path)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
