"""Disks and devices: formatted, partitioned, written to directly."""

from __future__ import annotations

from ..file_effects import DELETE, WRITE, has, of, operands
from ..shell.values import CONTAINER, name_of
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_HARMLESS = ("null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty")
_FOLDERS = ("fd/", "shm/", "pts/", "tcp/", "udp/")
_ALWAYS = "mke2fs wipefs blkdiscard cryptsetup lvremove vgremove pvremove mkswap swapoff mdadm"
_PARTITIONS = ("fdisk", "sfdisk", "gdisk", "sgdisk", "parted", "hdparm")


def _formats(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name.split(".")[0] == "mkfs" or name in _ALWAYS.split():
        return not has(words, "", "--help", "--version") and bool(words)
    if name in _PARTITIONS:
        return not has(words, "l", "--list", "--help") and bool(operands(words))
    if name == "diskutil":
        return any(word.lower().startswith(("erase", "partition", "zero")) for word in words)
    return name in ("zpool", "zfs") and words[:1] in (["destroy"], ["create"], ["labelclear"])


def _writes_device(command: Command, _: Place) -> bool:
    if command.where == CONTAINER:
        return False
    return any(
        effect.kind in (WRITE, DELETE)
        and effect.path.startswith("/dev/")
        and not _is_harmless(effect.path[5:])
        for effect in of(command)
    )


def _is_harmless(name: str) -> bool:
    return name in _HARMLESS or name.startswith(_FOLDERS)


RULES = (
    Rule(
        name="format-disk",
        reason="it formats or repartitions a disk",
        instead="use a file as a disk image, in the project or in /tmp",
        matches=_formats,
        denied=(
            *("mkfs.ext4 /dev/sda", "mkfs -t xfs /dev/vdb", "wipefs -a /dev/sda", "fdisk /dev/sda"),
            *(
                "sudo parted /dev/sda rm 1",
                "diskutil eraseDisk JHFS+ X disk2",
                "zpool destroy tank",
            ),
        ),
        allowed=("fdisk -l", "mkfs.ext4 --help", "lsblk", "zpool list", "df -h"),
    ),
    Rule(
        name="write-device",
        reason="it writes straight to a device",
        instead="write to a file in the project or in /tmp",
        matches=_writes_device,
        denied=(
            *("dd if=/dev/zero of=/dev/sda", "cat x > /dev/sda1", "cp x /dev/nvme0n1"),
            *("shred /dev/sda", "tee /dev/mem < x", "sudo dd bs=1M if=x.iso of=/dev/disk2"),
        ),
        allowed=(
            *(
                "dd if=/dev/zero of=disk.img bs=1M count=8",
                "make > /dev/null 2>&1",
                "echo x >/dev/tty",
            ),
            "dd if=/dev/urandom of=/tmp/x bs=1 count=16",
        ),
    ),
)
