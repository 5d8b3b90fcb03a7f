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
    assert drawing.stat().st_size < 30_000
