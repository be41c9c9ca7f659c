#!/usr/bin/env bash
set -euo pipefail
# Made by `ralph.sh link`: starts the newest Ralph that is installed.

linked=''
installed=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}/plugins/cache
newest='' highest=-1
for folder in "$linked" "$installed"/*/ralph/*; do
  [ -x "$folder/scripts/ralph.sh" ] || continue
  manifest=$folder/.claude-plugin/plugin.json
  version=$(sed -n 's/^ *"version": *"\([0-9.]*\).*/\1/p' "$manifest" 2>/dev/null) || continue
  IFS=. read -r major minor patch _ <<<"$version..."
  rank=$(((10#0$major * 1000000 + 10#0$minor) * 1000000 + 10#0$patch))
  if [ "$rank" -gt "$highest" ]; then
    highest=$rank newest=$folder
  fi
done
if [ -z "$newest" ]; then
  printf 'ralph: no Ralph is installed, neither in %s nor in %s\nhint: %s\n' "$linked" \
    "$installed" 'install the plugin in Claude Code again, or remove this launcher' >&2
  exit 2
fi
exec "$newest/scripts/ralph.sh" "$@"
