"""Databases: tables, schemas and stores dropped."""

from __future__ import annotations

from ..file_effects import operands, value
from ..shell.values import name_of
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_SQL = frozenset(
    "psql mysql mariadb sqlite3 sqlite pgcli mycli usql cqlsh clickhouse-client duckdb"
    " sqlcmd".split()
)
_IN_MEMORY = ("sqlite3", "sqlite", "duckdb")
_DROPPED = frozenset(
    "table database schema index view role user keyspace column constraint owned".split()
)
_MONGO = ("dropdatabase(", ".drop(", "deletemany({})", ".remove({})")
_REDIS = ("flushall", "flushdb", "shutdown")
_RESETS = frozenset(
    "db:drop db:reset db:purge db:truncate_all db:migrate:reset db:drop:all migrate:fresh"
    " migrate:reset db:wipe ecto.drop ecto.reset schema:drop db:drop:_unsafe flush reset_db".split()
)
_RUNNERS = frozenset(
    "rails rake artisan php manage.py django-admin sequelize sequelize-cli mix typeorm python"
    " python3 flask".split()
)
_OPTIONS = ("-c", "--command", "-e", "--execute", "-q", "-Q", "--eval")
_LONGEST = 65536
_APART = str.maketrans(dict.fromkeys(';"[`(', " "))


def _drops(command: Command, _: Place) -> bool:
    name = name_of(command.words)
    if name in ("dropdb", "dropuser"):
        return not {"--help", "--version"} & set(command.words)
    if name == "mysqladmin":
        return "drop" in command.words
    database, texts = _read(command)
    if name in _IN_MEMORY and database == ":memory:" and not any(map(_leads_out, texts)):
        return False
    return name in _SQL and any(map(_is_destructive, texts))


def _leads_out(text: str) -> bool:
    """From a database that ends with its command to one that stays."""
    lowered = text[:_LONGEST].lower()
    opens = any(line.lstrip().startswith((".op", ".res")) for line in lowered.split("\n"))
    return opens or "attach" in _plain(lowered).translate(_APART).split()


def _read(command: Command) -> tuple[str, list[str]]:
    """The database that is named, and whatever may be SQL for it."""
    words = command.words[1:]
    named = operands(words, "-U -h -p -d -P -u -D -f -separator -nullvalue -newline")
    texts = [value(words, option) for option in _OPTIONS] + named[1:]
    return "".join(named[:1]), [*texts, command.feed.text if command.feed else ""]


def _is_destructive(text: str) -> bool:
    lowered = text[:_LONGEST].lower()
    if not any(word in lowered for word in ("drop", "trunc", "delete")):
        return False
    return any(_loses(statement.split()) for statement in _plain(lowered).split(";"))


def _loses(words: list[str]) -> bool:
    for at, word in enumerate(words):
        if word == "drop" and _DROPPED & set(words[at + 1 : at + 3]):
            return True
    if words[:1] == ["truncate"]:
        return True
    return words[:2] == ["delete", "from"] and "where" not in words


def _plain(text: str) -> str:
    """Without comments and quoted texts: words in those do nothing."""
    done: list[str] = []
    at = 0
    while at < len(text):
        mark = next((m for m in ("/*", "--", "'") if text.startswith(m, at)), "")
        if not mark:
            done.append(text[at])
            at += 1
            continue
        closing = {"/*": "*/", "--": "\n", "'": "'"}[mark]
        end = text.find(closing, at + len(mark))
        at = len(text) if end < 0 else end + len(closing)
        done.append(" '' " if mark == "'" else " ")
    return "".join(done)


def _stores(command: Command, _: Place) -> bool:
    name = name_of(command.words)
    text = " ".join([*command.words[1:], command.feed.text if command.feed else ""]).lower()
    if name == "redis-cli":
        return any(word in _REDIS for word in text.split())
    return name in ("mongo", "mongosh") and any(call in text.replace(" ", "") for call in _MONGO)


def _frameworks(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if "test" in (command.assigns.get("RAILS_ENV"), command.assigns.get("MIX_ENV")):
        return False
    if name == "prisma":
        return words[:2] == ["migrate", "reset"] or "--force-reset" in words
    if name == "supabase":
        return words[:2] == ["db", "reset"]
    if name == "alembic":
        return words[:2] == ["downgrade", "base"]
    if name == "knex":
        return "migrate:rollback" in words and "--all" in words
    return name in _RUNNERS and any(word.lower() in _RESETS for word in words[:3])


RULES = (
    Rule(
        name="drop-database",
        reason="it drops, truncates or empties tables",
        instead="write a migration of the project, or use a database of your own made for the test",
        matches=_drops,
        denied=(
            "psql -c 'DROP TABLE users'",
            "dropdb app",
            'mysql -e "drop database app"',
            "echo 'TRUNCATE users;' | psql app",
            'sqlite3 app.db "DELETE FROM users;"',
            "psql app <<'E'\nselect 1;\ndrop/**/schema public cascade;\nE",
            "mysqladmin drop app",
            "docker exec db psql -U me -c 'drop table users'",
        ),
        allowed=(
            "psql -c 'select * from users'",
            "psql -c \"select 'drop table x'\"",
            "createdb app_test",
            'sqlite3 app.db "delete from users where id = 1"',
            "grep -rn 'DROP TABLE' migrations",
            "echo 'drop table x;' > migrations/002.sql",
        ),
    ),
    Rule(
        name="empty-store",
        reason="it empties a whole store",
        instead="delete the keys or documents that you made, by name",
        matches=_stores,
        denied=(
            *("redis-cli FLUSHALL", "mongosh --eval 'db.dropDatabase()'"),
            "echo flushdb | redis-cli",
        ),
        allowed=("redis-cli get a", "mongosh --eval 'db.users.find()'", "redis-cli ping"),
    ),
    Rule(
        name="reset-database",
        reason="it throws away the database of this configuration",
        instead="migrate forwards, or do it for the test database: `RAILS_ENV=test rails db:reset`",
        matches=_frameworks,
        denied=(
            *("rails db:drop", "npx prisma migrate reset --force", "php artisan migrate:fresh"),
            *("python manage.py flush --no-input", "mix ecto.reset", "bundle exec rake db:reset"),
        ),
        allowed=(
            *("rails db:migrate", "RAILS_ENV=test rails db:reset", "npx prisma migrate dev"),
            *("python manage.py migrate", "php artisan migrate", "alembic upgrade head"),
        ),
    ),
)
