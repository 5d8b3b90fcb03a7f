"""What the cells of a page hold and print, so that the eye finds its way.

- A printed verdict of ``d2l.predict`` becomes a row of a table: what was predicted, what was measured, how it ended.
- Every other printed line, and every line of code, that is too long for its box goes on under itself, set in.
- A table whose rows have a name says it in its first row, not in a second heading.
"""
import re

from bs4 import NavigableString

# The sentence that predict.py prints; test_printed.py holds the two together.
SENTENCE = re.compile(r"(?:(?P<name>.+?): )?predicted (?P<predicted>.+?), measured (?P<measured>[^():]+?)"
                      r"(?: \((?P<interval>[^)]*)\))?: (?P<verdict>.+)")
HEADS = ("", "predicted", "measured", "verdict")
STEP = 4  # letters that Python code is set in by
NO_BREAK = "\N{NO-BREAK SPACE}"  # keeps a number with its sign or unit, a name with its version


def kind(verdict: str) -> str:
    """How a verdict is coloured; its words say the same."""
    return {"missed": "misses", "BROKEN": "misses", "cannot": "open"}.get(re.split(r"\W", verdict)[0], "holds")


def plain(pre) -> bool:
    """Whether a printed text has no colours of its own, which cutting its lines would lose."""
    return not pre.find(True, string=True)


def lines_of(pre) -> list:
    """The nodes of each line. A token that goes over several lines (a docstring) is cut; white space stays."""
    lines = [[]]
    for node in list(pre.children):
        tag = None if isinstance(node, NavigableString) else node
        for i, part in enumerate(re.split(r"(?<=\n)", str(node) if tag is None else tag.get_text())):
            if i:
                lines.append([])
            if part:
                lines[-1].append((tag, part))
    return [line for line in lines if line]


def whole(text: str) -> str:
    """A number stays with its unit where the line breaks."""
    return re.sub(r"(?<=\d) (?=%|[a-zA-Zµ]{1,5}(?:/s)?\b)", NO_BREAK, text)


def cell_of(new, name, text, *classes):
    cell = new(name, attrs={"class": " ".join(classes)} if classes else {})
    cell.string = text
    return cell


def table_of(new, sentences):
    """The table of some judged predictions, one row each, as HTML that is read out as one."""
    table, head, body = (new(name) for name in ("table", "thead", "tbody"))
    table["class"] = "judged"
    named = any(sentence["name"] for sentence in sentences)
    row = new("tr")
    for title in HEADS[not named:]:
        row.append(cell_of(new, "th", title))
    head.append(row)
    for sentence in sentences:
        row = new("tr")
        if named:
            row.append(cell_of(new, "th", sentence["name"] or ""))
        row.append(cell_of(new, "td", whole(sentence["predicted"])))
        measured = cell_of(new, "td", whole(sentence["measured"]))
        if sentence["interval"]:
            measured.append(" ")
            measured.append(cell_of(new, "span", f"({sentence['interval']})"))
        row.append(measured)
        row.append(cell_of(new, "td", whole(sentence["verdict"]), kind(sentence["verdict"])))
        body.append(row)
    table.append(head)
    table.append(body)
    return table


def judged(soup, output):
    """The judged predictions among the printed lines of one output as tables, in their places."""
    shown = output.select_one("div.highlight")
    if not shown or shown.pre is None or not plain(shown.pre):
        return
    groups = []
    for line in shown.pre.get_text().splitlines():
        sentence = SENTENCE.fullmatch(line.strip())
        if not groups or groups[-1][0] != bool(sentence):
            groups.append((bool(sentence), []))
        groups[-1][1].append(sentence or line)
    if not any(is_table for is_table, _ in groups):
        return
    for is_table, part in groups:
        if is_table:
            shown.insert_before(table_of(soup.new_tag, part))
        elif any(part):
            box, pre = soup.new_tag("div", attrs={"class": "highlight"}), soup.new_tag("pre")
            pre.string = "\n".join(part) + "\n"
            box.append(pre)
            shown.insert_before(box)
    shown.extract()


def set_in(soup, pre, of_code):
    """Each line in a box of its own. A line of code knows how far it is set in: `in1`, `in2`, …"""
    lines = lines_of(pre)
    pre.clear()
    for line in lines:
        text = "".join(part for _, part in line)
        steps = (len(text) - len(text.lstrip(" "))) // STEP if of_code and text.strip() else 0
        box = soup.new_tag("span", attrs={"class": f"ln in{min(steps, 5)}" if steps else "ln"})
        for tag, part in line:
            if tag is None:
                box.append(part)
            else:
                box.append(cell_of(soup.new_tag, tag.name, part, *tag.get("class", [])))
        pre.append(box)


def name_of_rows(table):
    """The name of the rows goes from a row of its own into the empty corner above it."""
    rows = table.thead.find_all("tr", recursive=False) if table.thead else []
    if len(rows) == 2:
        corner, *_ = rows[0].find_all(["th", "td"], recursive=False)
        name, *others = rows[1].find_all(["th", "td"], recursive=False)
        if name.get_text(strip=True) and not corner.get_text(strip=True) and not any(
                cell.get_text(strip=True) for cell in others) and not corner.get("colspan"):
            name.extract()
            corner.replace_with(name)
            rows[1].extract()


def arrange(soup):
    """All of this on one page. To be called before its tables are wrapped and its empty headings mended."""
    for output in soup.select("div.cell_output > div.output.stream"):
        judged(soup, output)
        for pre in output.select("pre"):
            if plain(pre):
                set_in(soup, pre, of_code=False)
    for pre in soup.select("div.cell div.cell_input pre"):
        set_in(soup, pre, of_code=True)
    for table in soup.select("table.dataframe"):
        name_of_rows(table)
