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
exec "$(dirname "$self")/ralph.sh" archive "$@"
