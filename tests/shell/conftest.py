"""A copy of the launchers in its own folder, with a PATH of only what a test put there."""

from __future__ import annotations

import json
import os
import queue
import select
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BASE = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
TOOLS = ["bash", "sh", "env", "cat", "dirname", "ln", "mkdir", "readlink"]
FIXED_PLACES = ["/usr/bin/python3", "/opt/homebrew/bin/python3", "/usr/local/bin/python3"]
SECONDS = 120

ENGINE_STAND_IN = """
import json, os, sys
print(json.dumps({"argv": sys.argv[1:], "pid": os.getpid(), "cwd": os.getcwd(),
    "executable": sys.executable, "stdin": sys.stdin.read()}))
sys.exit(int(os.environ.get("STAND_IN_EXIT", "0")))
"""

# Makes an "environment" that is only a link to the interpreter. With UV_STAND_IN_GATE set it says
# who started it at GATE.pid and goes on when something can be read from GATE.
UV_STAND_IN = """#!/bin/sh
printf '%s\\n' "$*" >>{calls}
case $1 in
venv)
  mkdir -p "$4/bin" && ln -s "$3" "$4/bin/python" || exit 1
  if [ -n "${{UV_STAND_IN_GATE:-}}" ]; then
    echo "$PPID" >"$UV_STAND_IN_GATE.pid"
    read -r _ <"$UV_STAND_IN_GATE"
  fi ;;
esac
exit 0
"""


class House:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.scripts = root / "plugin" / "scripts"
        self.cache = root / "cache" / "ralph"
        self.bin = root / "bin"
        self.tools = root / "tools"
        self.uv_calls = root / "uv-calls"
        self.launcher = self.scripts / "ralph.sh"
        self.env = {
            "PATH": f"{self.bin}:{self.tools}",
            "HOME": str(root / "home"),
            "XDG_CACHE_HOME": str(root / "cache"),
        }
        for folder in (self.scripts / "ralph_engine", self.bin, self.tools, root / "home"):
            folder.mkdir(parents=True)
        for name in ("ralph.sh", "python.sh", "environment.py", "requirements.txt"):
            shutil.copy(REPOSITORY / "scripts" / name, self.scripts)
        (self.scripts / "ralph_engine" / "__main__.py").write_text(ENGINE_STAND_IN)
        self.move_fixed_places()
        for tool in TOOLS:
            self.add_tool(tool)

    def move_fixed_places(self) -> None:
        """Interpreters of this machine must not be found where python.sh looks beside PATH."""
        script = self.scripts / "python.sh"
        text = script.read_text()
        for place in FIXED_PLACES:
            assert place in text
            text = text.replace(place, shlex.quote(str(self.place(place))))
        script.write_text(text)

    def place(self, path: str) -> Path:
        return self.root / "places" / path.strip("/").replace("/", "-")

    def add_tool(self, name: str) -> None:
        real = shutil.which(name)
        assert real, f"the tests need {name} on PATH"
        (self.tools / name).symlink_to(real)

    def program(self, name: str, text: str) -> Path:
        path = self.bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def shim(self, name: str = "python3") -> Path:
        """What a version manager puts on PATH."""
        return self.program(name, f'#!/bin/sh\nexec "{BASE}" "$@"\n')

    def pretender(self, name: str, version: tuple[int, int, int], system: str = "posix") -> Path:
        """The real interpreter, but it says that it is another version, or of another system."""
        says = f"sys.version_info, os.name = {version}, '{system}'"
        code = f"import os, sys; {says}; exec(sys.argv[1])"
        return self.program(name, f'#!/bin/sh\nexec "{BASE}" -E -S -c "{code}" "$4"\n')

    def old_python(self, name: str) -> Path:
        return self.pretender(name, (3, 6, 15))

    def uv_stand_in(self) -> None:
        self.program("uv", UV_STAND_IN.format(calls=shlex.quote(str(self.uv_calls))))

    def run(self, *args: str, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(options.pop("launcher", self.launcher)), *args],
            env={**self.env, **options.pop("env", {})},  # type: ignore[dict-item]
            input=options.pop("input", ""),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            **options,  # type: ignore[call-overload]
        )

    def start(self, **env: str) -> Started:
        return Started(self, env)

    def answer(self, *args: str, **options: object) -> dict[str, object]:
        """What the engine's stand-in saw."""
        done = self.run(*args, **options)
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    def refused(self, *args: str, **options: object) -> list[str]:
        """The lines on stderr of a start that must end with 2 and print no data."""
        done = self.run(*args, **options)
        assert (done.returncode, done.stdout) == (2, ""), done
        return done.stderr.splitlines()

    @property
    def hooks_env(self) -> Path:
        return self.cache / "hooks.env"

    def environments(self) -> list[Path]:
        return sorted(path for path in self.cache.glob("env-*") if path.is_dir())

    def left_over(self) -> list[str]:
        kept = {"lock", "hooks.env", *(path.name for path in self.environments())}
        return sorted({path.name for path in self.cache.iterdir()} - kept)


class Started:
    """A launcher that runs in its own session while the test goes on."""

    def __init__(self, house: House, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [str(house.launcher)],
            env={**house.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.said: queue.Queue[str] = queue.Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.put(line)

    def next_line(self) -> str:
        return self.said.get(timeout=SECONDS)

    def end(self) -> int:
        assert self.process.stdout
        code = self.process.wait(timeout=SECONDS)
        self.reader.join(timeout=SECONDS)
        self.process.stdout.close()
        assert self.process.stderr
        self.process.stderr.close()
        return code


class Gate:
    """Holds the uv stand-in in the middle of a build."""

    def __init__(self, root: Path) -> None:
        self.path = root / "gate"
        for path in (self.path, root / "gate.pid"):
            os.mkfifo(path)
        # Read-write, so that neither side waits for the other to open it.
        self.out = os.open(self.path, os.O_RDWR)
        self.pid = os.open(root / "gate.pid", os.O_RDWR)

    def builder(self) -> int:
        assert select.select([self.pid], [], [], SECONDS)[0], "no build was started"
        return int(os.read(self.pid, 100))

    def open(self) -> None:
        os.write(self.out, b"go\n")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def quick(house: House) -> House:
    return quick_house(house)


@pytest.fixture
def quick_at() -> Callable[[Path], House]:
    return lambda root: quick_house(House(root))


@pytest.fixture
def hostile(tmp_path: Path) -> House:
    return House(tmp_path / 'it\'s a "quoted" 🙂')


def quick_house(house: House) -> House:
    """A house whose environment is made at once, without packages."""
    house.shim()
    house.uv_stand_in()
    return house


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path)
    yield gate
    os.close(gate.out)
    os.close(gate.pid)
