#!/usr/bin/env bash
set -euo pipefail

usage='usage: scripts/test.sh [PYTEST ARGUMENT...]
Without arguments: the linters, then all tests. With arguments: only pytest, with them,
e.g. scripts/test.sh tests/unit -k files'
case ${1:-} in
  -h | --help)
    printf '%s\n' "$usage"
    exit
    ;;
esac

root=$(CDPATH='' cd -P -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=scripts/python.sh
. scripts/python.sh

title() { printf '\n== %s\n' "$1"; }

need() { # PROGRAM PACKAGE TESTS
  local why
  if type -P "$1" >/dev/null; then
    return
  elif ! type -P apt-get >/dev/null; then
    why='needs another tool than apt-get'
  elif [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    why='needs root'
  else
    title "install $2"
    as_root apt-get -qq update && as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq install -y --no-install-recommends "$2" && return
    why='failed'
  fi
  ralph_fail "$1 is not on PATH, the $3 tests need it, and installing it here $why" \
    "install the package $2 with your package manager, then start again"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

shell_files() { # prints each name with a NUL behind it
  local file first
  git ls-files -coz --exclude-standard | while IFS= read -r -d '' file; do
    first=''
    [ ! -f "$file" ] || IFS= read -r first <"$file" || :
    case $first in
      '#!'*/sh | '#!'*/bash | '#!'*' bash') printf '%s\0' "$file" ;;
      *) case $file in *.sh) printf '%s\0' "$file" ;; esac ;;
    esac
  done
}

lint() {
  local python=$1 scratch status=0
  title 'ruff'
  "$python" -m ruff check .
  title 'mypy'
  "$python" -m mypy
  title 'shellcheck'
  shell_files | xargs -0 "${python%/*}/shellcheck" --external-sources --severity=style
  title 'vermin'
  "$python" -c 'import vermin; vermin.main()' -t=3.9- --no-tips --violations hooks scripts
  title 'claude plugin validate'
  scratch=$(mktemp -d)
  env -i PATH="$PATH" HOME="$scratch" DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
    DISABLE_ERROR_REPORTING=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
    "$RALPH_TEST_CLIENTS/node_modules/.bin/claude" plugin validate --strict \
    .claude-plugin/plugin.json || status=$?
  rm -rf "$scratch"
  return "$status"
}

environment=$(ralph_environment tests/requirements.txt)
# That of the launchers, which clients in the tests do not wait for; not among what a person uses.
XDG_CACHE_HOME=${environment%/*}/launched ralph_environment scripts/requirements.txt >/dev/null
python=$environment/bin/python
RALPH_TEST_CLIENTS=$("$python" tests/clients.py "${environment%/*}")
export RALPH_TEST_CLIENTS
[ "$(uname -s)" != Linux ] || need bwrap bubblewrap sandbox
need tmux tmux terminal
need chromium chromium report
if [ $# = 0 ]; then
  lint "$python"
  title 'pytest, measured'
  "$python" tests/covered.py
  title 'pytest, the rest'
  set -- --unmeasured
fi
exec "$python" -m pytest -n auto --dist worksteal "$@"
