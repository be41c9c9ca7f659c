#!/usr/bin/env bash
# setup.sh STATE_FOLDER [USER]: makes a microVM fit for Ralph, inside it and as root, once.
# The agent's sign-in lives in STATE_FOLDER, as mounted: it outlives the sandbox.
set -euo pipefail

fail() {
  printf 'ralph-setup: %s\n' "$1" >&2
  exit 1
}

state=${1:-}
user=${2:-agent}
mark=/var/lib/ralph/setup
[ -n "$state" ] && [ -d "$state" ] || fail "the state folder '$state' is not mounted here"
command -v git >/dev/null || fail "git is missing in this sandbox; install it (apt-get install git)"
command -v python3 >/dev/null ||
  fail "python3 is missing in this sandbox, and the hooks need it; install it (apt-get install python3)"

home='' group=''
while IFS=: read -r name _ _ gid _ folder _; do
  if [ "$name" = "$user" ]; then home=$folder group=$gid; fi
done </etc/passwd
[ -n "$home" ] && [ -d "$home" ] || fail "there is no user '$user' with a home in this sandbox"

version=$(cksum <"$0")" $state $user"
link_is_right() { [ "$(readlink "$home/$1")" = "$state/$1" ]; }
if [ "$(cat "$mark" 2>/dev/null)" = "$version" ] && [ -s "$state/.claude.json" ] &&
  [ -d "$state/.claude" ] && link_is_right .claude && link_is_right .claude.json; then
  echo 'ralph-setup: ready'
  exit 0
fi

if [ ! -d "$state/.claude" ]; then
  mkdir -m 700 "$state/.claude"
  chown "$user:$group" "$state/.claude"
fi
if [ ! -s "$state/.claude.json" ]; then
  # An empty file is no JSON, and the agent would not start.
  (umask 077 && echo '{}' >"$state/.claude.json")
  chown "$user:$group" "$state/.claude.json"
fi
for name in .claude .claude.json; do
  if ! link_is_right "$name"; then
    if [ -e "$home/$name" ] || [ -L "$home/$name" ]; then
      # The template's own; nothing is deleted.
      mv "$home/$name" "$(mktemp -d "$home/$name.before-ralph-XXXXXX")/"
    fi
    ln -s "$state/$name" "$home/$name"
  fi
  chown -h "$user:$group" "$home/$name"
done

config=$home/.gitconfig
git config --file "$config" user.name >/dev/null || git config --file "$config" user.name 'Ralph Loop'
git config --file "$config" user.email >/dev/null || git config --file "$config" user.email ralph@localhost
chown "$user:$group" "$config"

mkdir -p "${mark%/*}"
printf '%s\n' "$version" >"$mark"
echo 'ralph-setup: ready'
