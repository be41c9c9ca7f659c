"""The guard's table of rules: a module for each kind, loaded for the programs that it knows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .rule import Rule

# Judged for every command that changes files, whatever its name; for every redirection; for
# what is found on the way through a script.
ON_FILES = ("devices", "destruction", "persistence")
ON_REDIRECTS = ("credentials", "exfiltration")
ON_SCRIPTS = ("remote_code", "processes")
PROGRAMS = {
    "git_history": "git",
    "devices": "mkfs mke2fs fdisk sfdisk gdisk sgdisk parted wipefs blkdiscard hdparm cryptsetup"
    " lvremove vgremove pvremove zpool zfs mdadm diskutil swapoff mkswap dd",
    "privileges": "chmod chown chgrp chattr setfacl chflags sudo su doas visudo passwd chpasswd"
    " useradd usermod userdel adduser deluser groupadd groupmod gpasswd setcap iptables ip6tables"
    " nft ufw firewall-cmd setenforce sysctl modprobe insmod rmmod mount umount spctl csrutil"
    " chsh dscl",
    "remote_code": "nc ncat netcat socat",
    "credentials": "cat less more head tail bat nl tac od xxd hexdump strings base64 base32 cp mv"
    " scp rsync tar zip gzip sed awk gawk grep egrep rg ag diff sort tee dd curl wget printenv"
    " python python3 openssl gpg security secret-tool pass aws gcloud gh @reads ln vi vim nano"
    " emacs pbcopy xclip install jq yq nvim view cmp rev fold paste column split sha256sum",
    "exfiltration": "curl wget nc ncat netcat socat scp rsync sftp ftp lftp dig nslookup host"
    " aws gsutil rclone telnet mail sendmail mutt xh http https",
    "persistence": "crontab at batch systemctl service launchctl chkconfig update-rc.d rc-update"
    " loginctl git defaults osascript ssh-copy-id",
    "processes": "kill killall pkill skill fuser shutdown reboot halt poweroff init telinit"
    " systemctl xkill killall5",
    "containers": "docker podman nerdctl docker-compose ctr",
    "databases": "psql mysql mariadb sqlite3 sqlite mongo mongosh redis-cli dropdb mysqladmin"
    " pgcli mycli usql cqlsh clickhouse-client duckdb sqlcmd rails rake artisan php python python3"
    " manage.py django-admin prisma sequelize knex typeorm alembic supabase flask mix dropuser"
    " sequelize-cli drizzle-kit bin/rails influx",
    "clouds": "aws gcloud az gsutil terraform tofu terragrunt pulumi kubectl oc helm gh heroku"
    " flyctl fly vercel netlify wrangler doctl serverless sls cdk firebase eksctl railway"
    " linode-cli hcloud ibmcloud s3cmd rclone glab",
    "publishing": "npm yarn pnpm cargo twine uv poetry gem docker podman mvn gradle gradlew mvnw gh"
    " dotnet nuget vsce ovsx lerna changeset semantic-release flit hatch helm pod goreleaser bun"
    " deno jsr pdm python python3 luarocks mix release-it np cabal sbt glab",
}
_INDEX: dict[str, list[str]] = {}
for _module, _names in PROGRAMS.items():
    for _name in _names.split():
        _INDEX.setdefault(_name, []).append(_module)


def modules_for(name: str) -> list[str]:
    """mkfs.ext4 is a kind of mkfs, python3.12 of python."""
    plain = name.split(".", 1)[0]
    return _INDEX.get(name) or _INDEX.get(plain) or []


def rules(module: str) -> tuple[Rule, ...]:
    found: tuple[Rule, ...] = __import__(f"{__name__}.{module}", fromlist=["RULES"]).RULES
    return found


def every() -> Iterator[Rule]:
    for module in sorted({"protected", *ON_FILES, *ON_SCRIPTS, *PROGRAMS}):
        yield from rules(module)
