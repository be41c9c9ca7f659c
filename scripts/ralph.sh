#!/usr/bin/env bash
set -euo pipefail

self=${BASH_SOURCE[0]}
while [ -L "$self" ]; do # no readlink -f on older macOS
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
here=$(CDPATH='' cd -P -- "$(dirname "$self")" && pwd)

# shellcheck source=scripts/python.sh
. "$here/python.sh"
environment=$(ralph_environment "$here/requirements.txt")
exec "$environment/bin/python" -I -X utf8 "$here/ralph_engine/__main__.py" "$@"
