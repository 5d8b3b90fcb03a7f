"""theme/printed.py: verdicts as tables, long lines set in, a table's row name in its corner; nothing is lost."""
import sys

import pytest
from bs4 import BeautifulSoup
from built import ROOT

import d2l_helpers as d2l

sys.path.insert(0, str(ROOT / "theme"))
from printed import NO_BREAK, SENTENCE, arrange, kind  # noqa: E402

CELL = ('<div class="cell"><div class="cell_input"><div class="highlight"><pre><span></span>{code}</pre></div></div>'
        '<div class="cell_output"><div class="output stream"><div class="highlight"><pre><span></span>{printed}</pre>'
        "</div></div></div></div>")


def arranged(printed="", code="", more=""):
    soup = BeautifulSoup(CELL.format(printed=printed, code=code) + more, "html.parser")
    arrange(soup)
    return soup


def rows_of(soup):
    return [[cell.get_text().replace(NO_BREAK, " ") for cell in row.find_all(["th", "td"])]
            for row in soup.find("table", class_="judged").find_all("tr")]


@pytest.mark.parametrize(("measured", "bound", "colour", "verdict"), [
    ((1.05, 1.0, 1.1), None, "holds", "within 15 %"),
    ((1.1, 1.0, 1.3), None, "open", "cannot tell (the interval reaches across 15 %)"),
    (1.5, None, "misses", "missed, 50 % above: unexplained"),
    (3.5, "at least", "holds", "holds, 3.5× the bound"),
    (0.5, "at least", "misses", "BROKEN, 50 % below: unexplained"),
])
def test_each_verdict_that_the_helper_prints_becomes_a_row(capsys, measured, bound, colour, verdict):
    guess = d2l.predict({"ring": 1.0, "star: far": 1.0}, "ms", within=0.15, **({"bound": bound} if bound else {}))
    capsys.readouterr()
    guess.check({"ring": measured, "star: far": measured})
    printed = capsys.readouterr().out
    soup = arranged(printed)
    head, first, second = rows_of(soup)
    assert head == ["", "predicted", "measured", "verdict"]
    assert (first[0], second[0], first[3]) == ("ring", "star: far", verdict)
    assert soup.select(f"td.{colour}") and not soup.select("pre .ln")[1:]
    every = "".join(soup.select_one(".cell_output").get_text().split())
    for number in printed.replace("(", " ").replace(")", " ").replace(",", " ").split():
        if number[0].isdigit():
            assert number in every


def test_a_verdict_alone_has_no_column_of_names():
    soup = arranged("predicted 4 ms, measured 4.1 ms (4 to 4.2): within 10 %\n")
    assert rows_of(soup) == [["predicted", "measured", "verdict"], ["4 ms", "4.1 ms (4 to 4.2)", "within 10 %"]]
    assert NO_BREAK in soup.td.get_text()


def test_what_is_printed_around_verdicts_stays_in_its_place():
    soup = arranged("before\nx: predicted 1×, measured 1.1×: within 15 %\nbetween, 3.5 ms\n"
                    "y: predicted 1×, measured 2×: missed, 100 % above: unexplained\n")
    parts = [child.name if child.name == "table" else child.get_text() for child in
             soup.select_one("div.output").find_all(["div", "table"], recursive=False)]
    assert parts == ["before\n", "table", "between, 3.5 ms\n", "table"]
    assert soup.select("td.misses")[0].get_text().replace(NO_BREAK, " ") == "missed, 100 % above: unexplained"


@pytest.mark.parametrize("printed", ["predicted: ring 2 ms; tree 1.28 ms (right if within 10 %)\n",
                                     "made by the engine: predicted 0.0 MiB more, measured 0.0 MiB\n",
                                     "a\n\n  b  c\n", '<span class="-Color-Red">predicted</span> 1 ms\n'])
def test_other_lines_are_printed_as_they_were(printed):
    soup = arranged(printed)
    assert not soup.table
    assert soup.select_one("div.output").get_text() == BeautifulSoup(printed, "html.parser").get_text()


def test_a_line_of_code_knows_how_far_it_is_set_in_and_keeps_its_colours():
    code = '<span class="k">def</span> f():\n    <span class="sd">"""One.\n\n        Two."""</span>\n\n    return 1\n'
    soup = arranged(code=code)
    lines = soup.select("div.cell_input .ln")
    assert [line["class"][1:] for line in lines] == [[], ["in1"], [], ["in2"], [], ["in1"]]
    assert "".join(line.get_text() for line in lines) == BeautifulSoup(code, "html.parser").get_text()
    assert lines[3].span["class"] == ["sd"] and lines[0].span["class"] == ["k"]


def test_the_name_of_the_rows_goes_into_the_corner():
    rows = "<tr><th></th><th>a</th></tr><tr><th>{}</th><th></th></tr>"
    table = '<table class="dataframe"><thead>' + rows + "</thead><tbody><tr><th>1</th><td>2</td></tr></tbody></table>"
    soup = arranged(more=table.format("rows"))
    assert [row.get_text() for row in soup.find_all("tr")] == ["rowsa", "12"]
    assert len(arranged(more=table.format("")).thead.find_all("tr")) == 2  # no name: as it was


def test_a_sentence_without_a_verdict_is_none():
    assert not SENTENCE.fullmatch("predicted 4 ms, measured 4.1 ms") and kind("within 15 %") == "holds"
