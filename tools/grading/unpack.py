"""The files of a folder or zip that strangers filled: no link followed, no path that climbs out, no bomb.

Members are read one at a time and never more of one than its limit; what is refused is a line for the teacher.
"""
import contextlib
import dataclasses
import io
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

LARGEST = 50 << 20        # bytes of one file, unpacked
ALL = 4 << 30             # of all together
MEMBERS = 20_000
RATIO = 200               # unpacked to packed, above a megabyte: text packs tenfold, a bomb a thousandfold
CLUTTER = {"__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini"}


class Problem(Exception):
    """A foreseeable thing: its text is all that the reader needs."""


@dataclasses.dataclass
class Found:
    """A file: its path below the folder or zip, when it was written, and how to read it. `why`: it is not read."""

    path: PurePosixPath
    time: float
    read: Callable[[], bytes]
    why: str = ""


def megabytes(count: int) -> str:
    return f"{count / (1 << 20):.0f} MB" if count >= 1 << 20 else f"{count} bytes"


def too_large(size: int) -> str:
    return f"{megabytes(size)} is more than the {megabytes(LARGEST)} that a file may have" if size > LARGEST else ""


def clutter(path: PurePosixPath) -> bool:
    return any(part in CLUTTER or part.startswith("._") for part in path.parts)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[list[Found]]:
    """Every file in a folder or zip, or one notebook. Raises Problem where it is none of them, or too much."""
    path = Path(path)
    if path.is_dir():
        yield list(in_folder(path))
    elif path.is_file() and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield list(in_zip(archive, path.name))
    elif path.is_file() and path.suffix == ".ipynb":
        yield [Found(PurePosixPath(path.name), 0.0, lambda: read_plain(path), too_large(path.stat().st_size))]
    elif path.exists():
        raise Problem(f"{path} is neither a folder nor a zip")
    else:
        raise Problem(f"{path} does not exist")


def in_folder(root: Path) -> Iterator[Found]:
    count = total = 0
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        for name in [*folders, *sorted(names)]:
            path = Path(folder, name)
            about, inside = path.lstat(), PurePosixPath(path.relative_to(root).as_posix())
            if clutter(inside) or stat.S_ISDIR(about.st_mode):
                continue
            if not stat.S_ISREG(about.st_mode):
                what = "a symbolic link: not followed" if path.is_symlink() else "no plain file"
                yield Found(inside, about.st_mtime, lambda: b"", what)
                continue
            count, total = count + 1, total + min(about.st_size, LARGEST)
            within(count, total, root)
            yield Found(inside, about.st_mtime, lambda path=path: read_plain(path), too_large(about.st_size))


def read_plain(path: Path) -> bytes:
    """The bytes of a plain file; a link that has taken its place since is not followed."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        return file.read(LARGEST)


def within(count: int, total: int, where) -> None:
    if count > MEMBERS:
        raise Problem(f"{where} has more than {MEMBERS} files: is it the right one?")
    if total > ALL:
        raise Problem(f"{where} has more than {megabytes(ALL)} when unpacked: not opened further")


def in_zip(archive: zipfile.ZipFile, where: str) -> Iterator[Found]:
    total = 0
    for count, member in enumerate(archive.infolist(), 1):
        total += member.file_size if member.file_size <= LARGEST else 0  # more is not unpacked at all
        within(count, total, where)
        path = PurePosixPath(decoded(member).replace("\\", "/"))
        if member.is_dir() or clutter(path):
            continue
        when, mode = moment(member), member.external_attr >> 16
        why = too_large(member.file_size)
        if path.is_absolute() or ".." in path.parts or (path.parts and path.parts[0].endswith(":")):
            path, why = PurePosixPath(path.name or "unnamed"), f"its path climbs out of the zip ({str(path)[:80]!r})"
        elif stat.S_ISLNK(mode):
            why = "a symbolic link: not followed"
        elif member.flag_bits & 1:
            why = "it is encrypted"
        elif member.file_size > 1 << 20 and member.file_size > RATIO * max(1, member.compress_size):
            why = f"a zip bomb: {member.compress_size} bytes that become {megabytes(member.file_size)}"
        yield Found(path, when, lambda member=member: read_member(archive, member), why)


def decoded(member: zipfile.ZipInfo) -> str:
    """Its name. Without the flag for UTF-8 Python reads it as cp437, though many programs wrote UTF-8."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def moment(member: zipfile.ZipInfo) -> float:
    year, month, day, hour, minute, second = member.date_time
    return ((year * 12 + month) * 31 + day) * 86400.0 + hour * 3600 + minute * 60 + second  # only its order matters


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Its bytes. The size that a zip declares may be a lie: no more than the limit is unpacked. Raises Problem."""
    try:
        with archive.open(member) as file:
            data = file.read(LARGEST + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise Problem(f"it cannot be unpacked ({' '.join(str(error).split())})") from None
    except Exception as error:  # zlib.error, lzma.LZMAError: broken data
        raise Problem(f"it cannot be unpacked ({type(error).__name__})") from None
    if len(data) > LARGEST:
        raise Problem(too_large(len(data)))
    return data


def nested(data: bytes, where: str) -> list[Found]:
    """The files of a zip that a student handed in."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError):
        raise Problem("it is no readable zip") from None
    if len(archive.infolist()) > 100 or sum(member.file_size for member in archive.infolist()) > 2 * LARGEST:
        raise Problem(f"it has more than 100 files or {megabytes(2 * LARGEST)}")
    return list(in_zip(archive, where))
