"""A platform's own table, of which only named cells change: every other byte stays as the platform wrote it.

Delimiter, quoting, line ends, byte order mark and encoding are kept. A csv reader and writer would change some of them.
"""
import codecs
import dataclasses
from pathlib import Path

from .unpack import Problem

BOMS = [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]


@dataclasses.dataclass
class Cell:
    start: int
    end: int
    text: str
    quoted: bool


class Table:
    """Rows of cells, with their places in the text."""

    def __init__(self, path: Path):
        self.path = Path(path)
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise Problem(f"{path} cannot be read: {error.strerror}") from None
        if data[:2] == b"PK":
            raise Problem(f"{self.path.name} is a spreadsheet or a zip: export the grades as CSV")
        self.bom, self.encoding = next(((bom, name) for bom, name in BOMS if data.startswith(bom)), (b"", "utf-8"))
        data = data[len(self.bom):]
        try:
            self.text = data.decode(self.encoding)
        except UnicodeDecodeError:  # Excel on Windows; Latin-1 has a letter for every byte, so nothing is lost
            self.encoding = "latin-1"
            self.text = data.decode(self.encoding)
        first = self.text.split("\n")[0]
        self.delimiter = max(",;\t", key=lambda mark: outside(first, mark))
        self.rows = [row for row in split(self.text, self.delimiter) if any(cell.text.strip() for cell in row)]
        if not self.rows:
            raise Problem(f"{self.path.name} is empty")
        self.heads = [cell.text.strip() for cell in self.rows[0]]
        self.changes: dict[tuple[int, int], str] = {}

    def column(self, name: str) -> int:
        """The number of the column with this heading; -1 where there is none."""
        return next((i for i, head in enumerate(self.heads) if head.casefold() == name.casefold()), -1)

    def get(self, row: int, column: int) -> str:
        cells = self.rows[row]
        return cells[column].text.strip() if 0 <= column < len(cells) else ""

    def put(self, row: int, column: int, value: str) -> bool:
        """Whether the cell is there, and so gets this value in what `bytes` gives."""
        if not 0 <= column < len(self.rows[row]):
            return False
        self.changes[row, column] = value
        return True

    def bytes(self) -> bytes:
        parts, at = [], 0
        for (row, column), value in sorted(self.changes.items()):
            cell = self.rows[row][column]
            if cell.text.strip() == value:
                continue
            if cell.quoted or any(mark in value for mark in (self.delimiter, '"', "\n", "\r")):
                value = '"' + value.replace('"', '""') + '"'
            parts += [self.text[at:cell.start], value]
            at = cell.end
        return self.bom + "".join([*parts, self.text[at:]]).encode(self.encoding)


def outside(line: str, mark: str) -> int:
    """How often a mark stands outside quotes."""
    return sum(part.count(mark) for part in line.split('"')[::2])


def split(text: str, delimiter: str) -> list[list[Cell]]:
    """RFC 4180, as generous as spreadsheets are: a quote within an unquoted cell is a letter."""
    rows, row, at, size = [], [], 0, len(text)
    while at < size or row:
        start, quoted = at, at < size and text[at] == '"'
        if quoted:
            at, said = at + 1, []
            while at < size:
                end = text.find('"', at)
                end = size if end < 0 else end
                said.append(text[at:end])
                at = end + 1
                if text[at:at + 1] != '"':
                    break
                said.append('"')
                at += 1
            at, content = min(at, size), "".join(said)
        else:
            content = ""
        tail = at
        while at < size and text[at] not in (delimiter, "\n", "\r"):
            at += 1
        row.append(Cell(start, at, content + text[tail:at], quoted))
        if at < size and text[at] == delimiter:
            at += 1
            if at == size:
                row.append(Cell(at, at, "", False))
                rows.append(row)
                row = []
            continue
        at += 2 if text[at:at + 2] == "\r\n" else 1
        rows.append(row)
        row = []
    return rows
