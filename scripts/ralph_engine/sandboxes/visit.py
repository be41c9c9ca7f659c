"""One program in a microVM: how it is started there, and what of the words is its own.

By the exit code alone a sandbox that is gone and a program that failed look the same. So the
program's words stand between two marks that only this visit knows.
"""

from __future__ import annotations

import os
import re

from ..streams import OnOutput

MARKED = "RALPH_INSIDE"
_SIGN = b"\x1e"
_KEPT = 65536
# $0 is the mark, $1 a file for stdin or '', $2 its size, $3 the loop's DONE or ''.
# What the program leaves running is ended; behind DONE it has 300 s to finish first.
# What is new and has no mark of any visit is only told of: whose it is, nobody here knows.
SCRIPT = r"""
input=$1 size=$2 done=$3
shift 3
left() { grep -lsaF "RALPH_INSIDE=$0" /proc/[0-9]*/environ | tr -cd '0-9\n'; }
list() { all=' '; for p in /proc/[0-9]*; do [ -e "$p/exe" ] && all="$all${p#/proc/} "; done; }
unmarked() { grep -qsa "RALPH_INSIDE=" "/proc/$1/environ"; [ $? -eq 1 ]; }
stray() {
  list
  for pid in $all; do
    case $before in *" $pid "*) ;; *) ! unmarked "$pid" || return 0 ;; esac
  done
  return 1
}
whole() { [ -z "$input" ] || [ "$(wc -c <"$input")" -eq "$size" ]; } 2>/dev/null
turns=300
until whole; do
  if [ "$turns" -eq 0 ]; then
    echo "its prompt did not arrive whole" >&2
    exit 1
  fi
  sleep 0.1
  turns=$((turns - 1))
done
list
before=$all
printf '\036%s\n' "$0"
if [ -n "$input" ]; then
  RALPH_INSIDE=$0 "$@" <"$input"
else
  RALPH_INSIDE=$0 "$@"
fi
code=$?
turns=1500
while [ -n "$done" ] && [ -e "$done" ] && [ "$turns" -gt 0 ] && [ -n "$(left)" ]; do
  sleep 0.2
  turns=$((turns - 1))
done
for turn in 1 2 3 4 5; do
  for pid in $(left); do kill -9 "$pid"; done
done 2>/dev/null
for turn in 1 2 3 4 5; do
  more=''
  stray || break
  more=' left'
  sleep 0.2
done
printf '\036%s %d%s\n' "$0" "$code" "$more"
exit "$code"
"""


def new_mark(name: str) -> str:
    return f"{name}/{os.urandom(12).hex()}"


class Hearing:
    """`began`: it ran inside; `code` is its own, None where its end was not heard.

    `left`: something that may be its own is still at work there.
    """

    def __init__(self, mark: str, on_output: OnOutput) -> None:
        self.began, self.left, self.code = False, False, None  # type: bool, bool, int | None
        self._start = _SIGN + mark.encode() + b"\n"
        self._end = re.compile(re.escape(_SIGN + mark.encode()) + rb" ([0-9]{1,3})( left)?\n")
        self._longest = len(self._start) + len(" 255 left")
        self._on_output, self._held = on_output, b""
        self._before = {"stdout": b"", "stderr": b""}

    @property
    def words_before(self) -> str:
        """Of the client itself: why it did not begin."""
        return b"".join(self._before.values()).decode("utf-8", "replace")

    def take(self, stream: str, data: bytes) -> None:
        if self.began and stream == "stdout":
            self._pass_on(self._held + data)
        elif self.began:
            self._on_output(stream, data)
        else:
            self._wait_for_start(stream, data)

    def _wait_for_start(self, stream: str, data: bytes) -> None:
        before, mark, after = (self._before[stream] + data).partition(self._start)
        self._before[stream] = before[-_KEPT:]
        if mark:
            self.began = True
            # The two streams overtake each other: some of this may be the program's.
            if self._before["stderr"]:
                self._on_output("stderr", self._before["stderr"])
            self._pass_on(after)

    def _pass_on(self, data: bytes) -> None:
        """Only what could be the beginning of the last mark is kept back."""
        found = self._end.search(data)
        if found:
            self.code, self.left = int(found[1]), bool(found[2])
            data = data[: found.start()] + data[found.end() :]
        at = data.rfind(_SIGN)
        waits = at >= 0 and self.code is None and len(data) - at < self._longest
        self._held = data[at:] if waits else b""
        self._say(data[:at] if waits else data)

    def close(self) -> None:
        self._say(self._held)
        self._held = b""

    def _say(self, data: bytes) -> None:
        if data:
            self._on_output("stdout", data)
