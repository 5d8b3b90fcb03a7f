"""theme/: what it writes about a page's machine, and its formulas."""
import json
import sys

import pytest
import quiet
from bs4 import BeautifulSoup
from built import ROOT

sys.path.insert(0, str(ROOT / "theme"))
import light  # noqa: E402
from mathml import to_mathml  # noqa: E402
from page import CALM, made_by, mend  # noqa: E402

MACHINE = {"cpu": "AMD EPYC", "cores": 2, "memory GiB": 23, "system": "Linux"}
STAMP = {"machine": MACHINE, "versions": {"python": "3.11.7", "torch": "2.13.0"}, "date": "2026-11-21",
         "quiet": {"others": 0.004, "stolen": 0, "cores": 1.96, "spread": 0.01}}


def line(**changes) -> str:
    return made_by(json.dumps({**STAMP, **changes})).replace("\N{NO-BREAK SPACE}", " ")


def test_a_page_names_the_machine_and_how_quiet_it_was():
    assert line() == ("Outputs made on AMD EPYC, 2 cores, 23 GiB, Linux · quiet: others used 0.4 % of the cores"
                      " · Python 3.11.7 · PyTorch 2.13.0 · 21 November 2026")
    assert "1 core, 23 GiB, Linux, H100 · quiet" in line(machine={**MACHINE, "cores": 1, "gpu": "H100"})
    assert "0.4 % of the cores, and at times a stranger half of one ·" in line(quiet={**STAMP["quiet"], "spread": 0.7})
    assert "quiet: others used 0.0 % of" in line(quiet={"others": 0.0, "stolen": 0.0})
    assert "quiet" not in line(quiet={"spread": 0.01})  # no account of others where the system keeps none


def test_calm_means_the_same_as_where_it_is_measured():
    assert CALM == quiet.CALM


@pytest.mark.parametrize("stamp", [None, "", "{}", '{"machine": "Intel, Linux", "date": "2026-11-01"}'])
def test_a_page_without_a_stamp_says_nothing(stamp):
    assert made_by(stamp) == ""


def test_mending_names_what_has_no_name():
    made = mend('<html data-theme="auto"><head></head><body><section><h1>T</h1><p>First.</p><table border="1"><tr>'
                '<th></th><th>a</th></tr></table></section><i class="fa-x"></i></body></html>', "Outputs made here")
    made = str(made)
    assert '<h1>T</h1><p class="made-by">Outputs made here</p>' in made
    assert '<meta content="First." name="description"/>' in made
    assert '<div class="scroll"><table><tr><td></td><th>a</th>' in made and 'aria-hidden="true" class="fa-x"' in made


def test_a_folded_file_says_its_name():
    fold = ('<div class="cell"><details class="hide"><summary><p>Show the code</p><p>Hide the code</p></summary>'
            '<pre>{}</pre></details></div>')
    made = str(mend('<html data-theme="auto"><head></head><body>' + fold.format("%%writefile net.py\nimport torch")
                    + fold.format("import torch") + "</body></html>"))
    assert "<p>Show net.py</p><p>Hide net.py</p>" in made and made.count("<p>Show the code</p>") == 1


def test_of_a_written_file_only_what_it_printed_besides_is_shown():
    cell = ('<div class="cell"><pre>%%writefile net.py\nimport torch</pre>'
            '<div class="cell_output"><pre>{}</pre></div></div>')
    made = str(mend('<html data-theme="auto"><head></head><body>' + cell.format("Writing net.py\n")
                    + cell.format("Overwriting net.py\n") + cell.format("error: no space") + "</body></html>"))
    assert "riting net.py" not in made.replace("%%writefile net.py", "") and "error: no space" in made


@pytest.mark.parametrize("latex, expected", [
    ("a < b", "<mo>&lt;</mo>"),
    (r"\frac{n-1}{n}S", "<mfrac>"),
    ("B'", "\N{PRIME}"),
    (r"n \log n", '<mi>n</mi><mspace width="0.1667em"></mspace><mi>log</mi>'),
    (r"2\lceil\log_2 n\rceil", '<mo>⌈</mo><msub><mi>log</mi><mn>2</mn></msub><mspace'),
    (r"\begin{aligned} a &= b \\ &= c \end{aligned}", '<mtable class="ams-align">'),
    (r"\left\{ a \right\}", "<mo>{</mo>"),
])
def test_formulas(latex, expected):
    assert expected in to_mathml(latex, as_block=True) and "\n" not in to_mathml(latex, as_block=False)


@pytest.mark.parametrize("latex, reason", [
    (r"\nosuch{x}", "Unknown LaTeX command"),
    (r"\frac{1", "a { or } is missing"),
    (r"\left( a", r"a \left or \right is missing"),
    (r"\begin{aligned} a", r"a \begin or \end is missing"),
    ("a & b", "outside of an environment"),
    ("x_", "Source incomplete"),
])
def test_a_formula_that_cannot_be_shown_says_why(latex, reason):
    with pytest.raises(ValueError) as caught:
        to_mathml(latex, as_block=False)
    assert reason in str(caught.value)


def test_variables_that_nobody_reads_go_and_those_that_only_they_read():
    quoted = """--icon:url("data:image/svg+xml,%3Csvg stroke='rgba(1, 2;}')");"""
    css = f":root{{--a:1px;--b:var(--c);--c:2px;{quoted}--from-a-script:3px}}\np{{margin:var(--a);--d:1}}\ni{{--b:0}}"
    assert light.without_unread(css, "style.get('--from-a-script')") == (
        ":root{--a:1px;--from-a-script:3px}\np{margin:var(--a);}"
    )
    assert light.without_unread(f"a{{{quoted}color:red}}", "var(--icon)") == f"a{{{quoted}color:red}}"


def test_names_are_those_of_attributes_and_scripts_and_of_bootstrap_what_a_page_begins(tmp_path):
    html = """<p class="made card" data-bs-toggle="tooltip">A carousel in words</p>
              <script>document.write("<i class='theme-switch'></i>")</script>"""
    soup = BeautifulSoup(html, "html.parser")
    scripts = {"bootstrap.js": "carousel carousel-item tooltip-inner bs-tooltip-top", "course.js": "queue-explorer"}
    for name, text in scripts.items():
        (tmp_path / name).write_text(text, encoding="utf8")
    names = light.names_in({"page": soup}, [tmp_path / name for name in scripts])
    begun = {"tooltip", "tooltip-inner", "bs-tooltip-top"}
    assert {"made", "card", "theme-switch", "queue-explorer", "show"} | begun <= names
    assert not {"carousel", "carousel-item", "words"} & names
