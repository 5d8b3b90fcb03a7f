"""tools/guide.py: the pages made from notebooks, records and data files, and what these files must name."""
import json
import re

import pages
import pytest
import website
import yaml
from built import ROOT

import guide

# As many as the book's chapter has: examples in code, figures, tables, exercises.
IN_THE_BOOK = {"13.1": (12, 1, 0, 3), "13.2": (7, 3, 0, 3), "13.3": (6, 1, 0, 5), "13.4": (0, 9, 2, 13),
               "13.5": (12, 3, 0, 4), "13.6": (9, 0, 0, 3), "13.7": (0, 8, 0, 3)}


@pytest.fixture(scope="module")
def book():
    return guide.Book(website.gather(ROOT), ROOT)


@pytest.fixture(scope="module")
def sections():
    return {part["title"].split()[0]: part
            for part in yaml.safe_load((ROOT / "guide/from-d2l.yml").read_text(encoding="utf8"))}


@pytest.mark.parametrize("section", IN_THE_BOOK)
def test_every_item_of_the_book_has_a_row(sections, section):
    part = sections[section]
    numbers = {kind: [str(row[0]) for row in part.get(kind, [])] for kind in ("code", "figure", "table", "exercise")}
    assert tuple(map(len, numbers.values())) == IN_THE_BOOK[section]
    last = section.removeprefix("13.")
    assert numbers["code"] == [f"{last}.{i}" for i in range(1, len(numbers["code"]) + 1)]
    for kind in ("figure", "table"):
        assert numbers[kind] == [f"{section}.{i}" for i in range(1, len(numbers[kind]) + 1)]
    if section not in ("13.1", "13.7"):
        assert part["concept"] if section != "13.6" else True
    assert all(len(row) >= 3 for kind in guide.KINDS for row in part.get(kind, [])), "a row without a place"


def test_every_set_of_notes_has_rows(sections):
    notes = sections["Readers'"]["notes"]
    assert {row[0] for row in notes} == set("12345") and len(notes) >= 35


def test_a_dead_place_is_one_clear_line(book):
    assert guide.lesson(book, "compilers#build-a-compiler").endswith("compilers.ipynb#build-a-compiler)")
    with pytest.raises(ValueError, match="there is no lesson nowhere"):
        guide.lesson(book, "nowhere")
    with pytest.raises(ValueError, match="compilers has no heading #nothing"):
        guide.lesson(book, "compilers#nothing")


def test_exercises_that_name_the_books_are_linked():
    book = "*Dive into Deep Learning*"

    class Fake:
        notebooks = {"chapters/compilers-exercises": pages.nbformat.v4.new_notebook(cells=[
            pages.nbformat.v4.new_markdown_cell(f"## Exercise {n}: {name}\n\n({book}, 13.1, exercise {of}.)")
            for n, name, of in ((2, "Loops", 2), (3, "More", 12))
        ])}

    assert guide.exercise_pages(Fake, "13.1", "2") == [
        "[Exercise 2: Loops](../chapters/compilers-exercises.ipynb#exercise-2-loops)"]
    assert guide.exercise_pages(Fake, "13.2", "2") == []


def test_a_path_keeps_to_what_its_lessons_need(book):
    text = (ROOT / "guide/paths.md").read_text(encoding="utf8")
    paths = [names.split() for kind, names in guide.MARK.findall(text) if kind == "path"]
    assert len(paths) >= 5
    for names in paths:
        assert names[0] == "measuring" and guide.out_of_order(book, names) == []


def test_the_index_gets_minutes_and_what_comes_before(book):
    index = website.gather(ROOT)["index.md"].decode()
    row = re.search(r"(?m)^\| \[Fusion\].*$", index)[0]
    assert row.endswith(f"| {book.minutes('chapters/fusion')} |") and "(chapters/compilers.ipynb)" in row
    assert index.count("| minutes |") == 1 and "<!-- made" not in index


def test_every_paper_that_a_lesson_links_to_is_in_the_bibliography(book):
    named = {entry["url"] for entry in book.data("guide/bibliography.yml")}
    papers = {url for url in guide.sources(book) if re.search(r"arxiv\.org|doi\.org|papers\.nips|usenix\.org", url)}
    assert papers - named <= {"https://arxiv.org/abs/1501.05387"}, "name its authors, title and year there"


def test_all_that_the_module_exports_is_on_its_page(book):
    text = guide.api(book)
    for wing in ("", "hardware/", "distributed/"):
        for _, name in guide.used_by.exported(ROOT / "d2l_helpers" / wing):
            assert f"### `{name}`" in text, f"{name} is missing"
    assert "compare(" in text and "used by" in text


def test_the_status_has_a_line_for_each_page(book):
    text = guide.status(book)
    for name in book.notebooks:
        assert f'<tr id="{name.split("/")[-1]}">' in text
    assert "AMD" in text and "took</th>" not in text or "seconds" in str(book.notebooks)


def test_the_status_says_which_entry_is_of_older_code(book, tmp_path):
    """An entry of the table of machines counts only for the code that was tried."""
    name, notebook = next(iter(book.notebooks.items()))
    page, now = name.split("/")[-1], guide.pages.version(notebook)
    record = {"pages": {page: {"older": "ok 3 s", "busy": "ok 3 s"}}, "of": {page: {"older": now, "busy": "0" * 12}}}
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "machines.json").write_text(json.dumps(record))
    text = guide.status(guide.Book(book.files, tmp_path))
    assert "an older processor: ok 3 s;" in text and "a busy neighbour: ok 3 s (before its last change)" in text


def test_terms_are_sorted_and_lead_to_lessons(book):
    text = guide.glossary(book)
    terms = re.findall(r"(?m)^\*\*(.+?)\.\*\* ", text)
    assert terms == sorted(terms, key=str.lower) and len(terms) == len(set(terms)) >= 50


def test_an_unknown_mark_is_one_clear_line():
    with pytest.raises(ValueError, match="<!-- made: nonsense -->: there are"):
        guide.written({"_toc.yml": b"root: a\n", "a.md": b"<!-- made: nonsense -->"}, ROOT)
