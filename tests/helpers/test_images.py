"""Each drawing of images/ is what the script beside it draws, can be read, and is small."""

import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

IMAGES = Path(__file__).resolve().parents[2] / "images"
DRAWINGS = sorted(IMAGES.glob("*.svg"))


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_the_script_draws_it(drawing, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(IMAGES)  # some share svg.py
    script = tmp_path / f"{drawing.stem}.py"  # a copy, so that the drawing lands beside it
    script.write_text(drawing.with_suffix(".py").read_text(encoding="utf-8"), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")
    assert script.with_suffix(".svg").read_text(encoding="utf-8") == drawing.read_text(encoding="utf-8")


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_it_has_a_title_and_a_description_and_is_small(drawing):
    root = ET.parse(drawing).getroot()
    names = [child.tag.rsplit("}")[-1] for child in root]
    assert "title" in names and "desc" in names
    assert all(child.text.strip() for child in root if child.tag.rsplit("}")[-1] in ("title", "desc"))
    assert root.get("role") == "img"
    assert drawing.stat().st_size < 15_000  # a notebook carries it as a data URI


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_no_words_leave_the_card(drawing):
    root = ET.parse(drawing).getroot()
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (width, height) == (float(root.get("width")), float(root.get("height")))
    for words in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y, room = float(words.get("x")), float(words.get("y")), 7.0 * len(words.text)  # of 13 px letters, nearly
        kinds = words.get("class", "").split()
        start = x if {"start", "device"} & set(kinds) else x - room if "end" in kinds else x - room / 2
        assert left <= start and start + room <= left + width, words.text
        assert top + 13 <= y <= top + height - 4, words.text


def test_letters_are_dark_enough(monkeypatch):
    monkeypatch.syspath_prepend(IMAGES)
    import svg

    def light(colour: str) -> float:
        """The relative luminance of WCAG 2."""
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for letters in (svg.INK, svg.SOFT):
        for ground in (svg.PAPER, svg.BLUE, svg.ORANGE, svg.GREEN, svg.VIOLET, svg.WHITE):
            assert (light(ground) + 0.05) / (light(letters) + 0.05) >= 4.5, (letters, ground)
