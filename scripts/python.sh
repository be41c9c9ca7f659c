# Chooses the interpreter and hands over to environment.py. Sourced by the launchers:
#   environment=$(ralph_environment REQUIREMENTS)   then use "$environment/bin/python" -I
# shellcheck shell=bash

ralph_fail() { # WHAT HINT
  printf 'ralph: %s\nhint: %s\n' "$1" "$2" >&2
  exit 2
}

ralph_environment() { # REQUIREMENTS: prints the folder of the environment, made if need be
  local here cache python
  here=${BASH_SOURCE[0]%/*}
  if [ -z "${XDG_CACHE_HOME:-}${HOME:-}" ]; then
    ralph_fail 'neither HOME nor XDG_CACHE_HOME is set, so there is no place for the Python environment' \
      'set HOME, or set XDG_CACHE_HOME to a folder that you can write'
  fi
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/ralph
  python=$(ralph_interpreter "$cache/hooks.env") || exit
  "$python" -I -S "$here/environment.py" "$cache" "$1"
}

ralph_interpreter() { # HOOKS_ENV: prints the path of an interpreter that is no shim
  local python=''
  if [ -n "${RALPH_PYTHON:-}" ]; then
    ralph_named_interpreter
    return
  fi
  # The last choice is kept while it works: what PATH finds changes with the folder (pyenv) and
  # the active venv, and each change would cost another environment.
  if [ -r "$1" ]; then
    IFS= read -r python <"$1" || python=''
  fi
  if [ -x "$python" ]; then
    printf '%s\n' "$python"
  else
    ralph_search_interpreter
  fi
}

ralph_named_interpreter() {
  local program answer
  program=$(type -P "$RALPH_PYTHON") || program=''
  [ -x "$program" ] ||
    ralph_fail "RALPH_PYTHON=$RALPH_PYTHON is not a program that can be started" \
      'set it to the path of Python 3.9 or newer, or unset it'
  answer=$(ralph_probe "$program") ||
    ralph_fail "RALPH_PYTHON=$RALPH_PYTHON is ${answer:-not a working Python}; Ralph needs Python 3.9 or newer" \
      'set it to the path of Python 3.9 or newer, or unset it'
  printf '%s\n' "$answer"
}

ralph_search_interpreter() {
  local program answer seen='' rejected=''
  while IFS= read -r program; do
    case $seen in *"|$program|"*) continue ;; esac
    seen="$seen|$program|"
    if [ -x "$program" ] && ! ralph_is_macos_stub "$program"; then
      if answer=$(ralph_probe "$program"); then
        printf '%s\n' "$answer"
        return
      fi
      rejected="$rejected; $program is ${answer:-not a working Python}"
    fi
  done < <(
    type -aP python3 python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python
    printf '%s\n' /usr/bin/python3 /opt/homebrew/bin/python3 /usr/local/bin/python3
  )
  ralph_fail "no Python 3.9 or newer on PATH, in /usr/bin, /opt/homebrew/bin or /usr/local/bin$rejected" \
    'install one (macOS: xcode-select --install; Debian, Ubuntu: apt install python3-venv) or set RALPH_PYTHON to its path'
}

# Without the command line tools macOS answers any start of its python3 with an install dialog.
ralph_is_macos_stub() { # PROGRAM
  case $OSTYPE in darwin*) ;; *) return 1 ;; esac
  [ "$1" = /usr/bin/python3 ] && ! xcode-select -p >/dev/null 2>&1
}

# A shim execs the real interpreter, so sys.executable names what is behind it. No -I: Python 2
# must be able to say its version. Windows' own has no fork, no sessions and no O_NOFOLLOW.
ralph_probe() { # PROGRAM: prints the path behind it, or fails and prints what it is
  "$1" -E -S -c 'import os, sys
said = "Python %d.%d.%d" % sys.version_info[:3]
if os.name == "nt":
    said += " for Windows, which Ralph cannot use: start it in WSL"
elif sys.version_info >= (3, 9):
    said = sys.executable
print(said)
sys.exit(said != sys.executable)' 2>/dev/null </dev/null
}
