"""`make gpu`: which cells it runs, that it goes on after a failure, and the form of the records that it writes."""

import copy
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import gpu
import pages
import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
BOOK = {path.stem for path in (ROOT / "chapters").glob("*.ipynb")}

RECORD = {  # made up: it stands for no machine
    "machine": {"cpu": "a processor", "cores": 2, "gpu": "Tesla T4"},
    "versions": {"python": "3.12.1", "torch": "2.11.0+cu128", "numpy": "2.1.3"}, "date": "2026-11-22",
    "gpu": {"card": "T4", "device": "Tesla T4", "count": 1, "memory": 16e9, "capability": "7.5", "driver": "550.54",
            "cuda": "12.8", "clock MHz": 1590.0},
    "quiet": {"spread": 0.1}, "pages": {"measuring": {"seconds": 9, "failed": []}},
    "runs": {"measuring: product": {"product": [1e-3, 1.1e-3], "4": 2.0}},
}  # fmt: skip


@pytest.mark.parametrize("path", sorted((ROOT / "records").glob("gpu-*.json")), ids=lambda path: path.stem)
def test_a_record_of_a_gpu_is_whole(path):
    assert gpu.complaints(json.loads(path.read_text(encoding="utf-8")), path.stem, BOOK) == []


def test_a_whole_record_has_no_fault():
    assert gpu.complaints(RECORD, "gpu-t4", BOOK) == []


@pytest.mark.parametrize("place, value, complaint", [
    (("gpu", "driver"), None, "gpu: driver is missing"),
    (("gpu", "clock MHz"), None, "gpu: no clock"),
    (("gpu", "card"), "H100", "a record of H100 is gpu-h100.json, not gpu-t4.json"),
    (("versions", "torch"), "2.13.0+cpu", "this torch has no CUDA"),
    (("versions", "numpy"), None, "versions: numpy is missing"),
    (("machine", "cpu"), None, "machine: cpu is missing"),
    (("date",), "2098-01-01", "has not come yet"),
    (("date",), "yesterday", "is no date"),
    (("quiet",), None, "quiet is missing"),
    (("quiet",), {}, "quiet: the spread is missing"),
    (("runs",), {}, "runs: there is none"),
    (("runs", "measuring: product"), {"product": float("nan")}, "a number is not finite"),
    (("runs", "measuring: product"), [], "it is empty"),
    (("runs", "nowhere: product"), 1.0, "'nowhere: product' names no page"),
    (("runs", "product"), 1.0, "'product' names no page"),
    (("typed",), "by hand", "unknown: typed"),
])
def test_a_fault_in_a_record_is_named(place, value, complaint):
    record = copy.deepcopy(RECORD)
    *outer, last = place
    inner = record[outer[0]] if outer else record
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    assert any(complaint in line for line in gpu.complaints(record, "gpu-t4", BOOK)), complaint


def test_a_record_is_shown_with_its_label(monkeypatch, capsys):
    from d2l_helpers import records
    from d2l_helpers.hardware import gpu as section

    def recorded(name, key, measure, missing):
        print(f"NOT measured here ({missing}). Shown is {name}")
        return RECORD["runs"][key]

    monkeypatch.setattr(section, "gpu_records", lambda: {"gpu-t4": RECORD, "gpu-h100": {**RECORD, "runs": {}}})
    monkeypatch.setattr(section, "recorded", recorded)
    guess = section.gpu_predict(lambda card: {"product": 1e-3, 4: 1.9}, "s", within=0.2)
    found = section.gpu_measured("measuring", "product", None)
    assert found == {"T4": {"product": [1e-3, 1.1e-3], 4: 2.0}}
    assert guess.check(found)["T4", 4].holds
    said = capsys.readouterr().out
    assert "NOT measured here (no GPU here). Shown is gpu-t4" in said and "H100: product 1 ms" in said
    assert section.gpu_measured("measuring", "another", None) == {} and "no GPU here" in capsys.readouterr().out
    assert guess.check({}) is None and capsys.readouterr().out == ""
    assert records.recorded is not recorded


@pytest.mark.parametrize("name, short", [("Tesla T4", "T4"), ("NVIDIA H100 80GB HBM3", "H100"), ("A100", "A100")])
def test_a_card_is_found_by_the_name_that_cuda_gives(name, short):
    from d2l_helpers import hardware

    card = hardware.gpu_card(name)
    assert card.name == short and card.bandwidth > 1e11 and card.peak["float16"] > card.peak["float32"]
    assert ("bfloat16" in card.peak) == (short != "T4") and card.launch == pytest.approx(3e-6)


def test_a_card_of_another_form_has_no_facts():
    from d2l_helpers import hardware

    with pytest.raises(ValueError, match="no facts about a GPU 'NVIDIA H100 PCIe'"):
        hardware.gpu_card("NVIDIA H100 PCIe")


def cells(*sources, tags=()):
    return [gpu.Cell(n, source, {"gpu"} if n in tags else set()) for n, source in enumerate(sources, 1)]


@pytest.mark.parametrize("sources, numbers", [
    (["a = 1", "b = 2", "print(a)"], [1, 3]),
    (["a = []", "a.append(1)", "b = []", "print(a)"], [1, 2, 4]),
    (["a = 1", "a = 2", "print(a)"], [2, 3]),  # replaced before it is read
    (["a = 1", "a += 2", "print(a)"], [1, 2, 3]),
    (["for a in (1, 2):\n    pass", "a = 3", "for a in (1, 2):\n    print(a)"], [3]),
    (["def f():\n    return later", "later = 3", "print(f())"], [1, 2, 3]),
    (["rows = [1]", "x = 3", "print([x for x in rows])"], [1, 3]),
    (["import json\nslow = sum(range(9))", "b = 1", "print(json)"], [-1, 3]),  # only the import
    (["import torch", "torch.set_num_threads(1)", "torch.rand(3)", "print(torch)"], [-1, 2, 4]),
    (["%%writefile one.py\nfrom two import x", "%%writefile two.py\nx = 1", "%%writefile other.py\n", "run('one.py')"],
     [1, 2, 4]),
    (["%%writefile one.py\nx = 1", "from one import x\nslow = sum(range(9))", "b = 1", "print(x)"], [1, -2, 4]),
    (["def show(x):\n    print(x)", "show(1)", "show(2)"], [1, 3]),
    (["save(1, 'net.pt')", "x = 1", "load('net.pt')"], [1, 3]),
])  # fmt: skip
def test_a_cell_brings_what_it_needs(sources, numbers):
    assert gpu.needed(cells(*sources), {len(sources)}) == numbers


def test_gpu_cells_are_those_with_the_tag_and_those_that_speak_of_cuda():
    page = cells("x = 1", "if torch.cuda.is_available(): pass", "y = 2", "# cuda\nz = 3",
                 "%%writefile rank.py\nimport torch\ntorch.cuda.synchronize()", "run_ranks('rank.py')",
                 "run_ranks('rank.py', env=on_cpu)", tags=[3])  # fmt: skip
    assert gpu.wanted(page, 1) == {2, 3} and gpu.wanted(page, 2) == {2, 3, 6}


def test_one_gpu_is_not_worth_counting():
    page = cells("ranks = d2l.num_gpus()", "torch.cuda.is_available(), d2l.num_gpus()", "d2l.num_gpus()", tags=[3])
    assert gpu.wanted(page, 1) == {1, 2, 3} == gpu.sections(page, 2) and gpu.sections(page, 1) == {2, 3}


@pytest.mark.slow
def test_a_machine_without_a_gpu_gets_one_line(tmp_path):
    ran = subprocess.run([sys.executable, ROOT / "tools/gpu.py", "--into", tmp_path], capture_output=True, text=True)
    assert ran.returncode == 0 and not ran.stderr and ran.stdout.count("\n") == 1 and "no GPU here" in ran.stdout
    assert not list(tmp_path.iterdir())


def test_it_needs_no_jupyter():
    """Nor YAML: a machine with a GPU has PyTorch and little else."""
    code = "import sys\nfor name in 'nbformat nbclient ipykernel IPython yaml mxnet'.split():\n" \
           "    sys.modules[name] = None\n" \
           "import gpu, quiet, d2l_helpers\nfrom d2l_helpers import hardware\n" \
           "assert all(gpu.needed(c, gpu.wanted(c)) is not None for c in map(gpu.cells_of, gpu.listed()))"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'tools'}{os.pathsep}{ROOT}"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_page_that_shows_records_of_gpus_is_stale_when_one_comes(tmp_path):
    notebook = pages.nbformat.v4.new_notebook(cells=[
        pages.nbformat.v4.new_code_cell('hardware.gpu_measured("page", "key", f)')])  # fmt: skip
    (tmp_path / "d2l_helpers").mkdir()
    (tmp_path / "records").mkdir()
    before = pages.made_from(notebook, tmp_path)
    (tmp_path / "records" / "gpu-t4.json").write_text("{}")
    assert "records" not in before and "records" in pages.made_from(notebook, tmp_path)


SMALL = {
    "good": ["import torch\nfrom d2l_helpers import hardware",
             "def one():\n    return {'t': hardware.gpu_times(lambda: torch.ones(3, device='cuda') + 1, 3).device}",
             "found = hardware.gpu_measured('good', 'one', one)", "raise RuntimeError('not a GPU cell')"],
    "bad": ["from d2l_helpers import hardware", "hardware.gpu_measured('bad', 'none', lambda: nothing)",
            "hardware.gpu_measured('bad', 'two', lambda: 2.0)"],
    "endless": ["from d2l_helpers import hardware", "hardware.gpu_measured('endless', 'x', lambda: 1.0)",
                "import torch, time\nwhile torch.cuda.is_available(): time.sleep(0.1)"],
    "none": ["raise RuntimeError('no GPU section')"],
}  # fmt: skip
ENTRY = """
import sys
sys.path[:0] = [TOOLS]
import gpu, quiet
gpu.ROOT, gpu.PAGE_LIMIT = gpu.Path(FOLDER), 30
gpu.clocks = lambda: {}
quiet.look = lambda: {"spread": 0.1}
gpu.run_page = lambda *a, real=gpu.run_page: real(*a, command=[gpu.__file__])
sys.exit(gpu.main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_it_runs_goes_on_and_writes_a_record(tmp_path):
    """Under the stand-in, into a temporary folder: three pages, of which one fails in a cell and one never ends."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "_toc.yml").write_text("chapters:\n  - file: chapters/bad\n  - file: chapters/endless\n")
    for name, sources in SMALL.items():
        page = [{"cell_type": "code", "source": source.splitlines(True), "metadata": {}} for source in sources]
        (tmp_path / "chapters" / f"{name}.ipynb").write_text(json.dumps({"cells": page}))
    entry = tmp_path / "entry.py"
    entry.write_text(ENTRY.replace("TOOLS", repr(str(ROOT / "tools"))).replace("FOLDER", repr(str(tmp_path))))
    environment = {**os.environ, "D2L_STANDIN": "1", "PYTHONPATH": f"{ROOT}{os.pathsep}{HERE}"}
    ran = subprocess.run([sys.executable, entry, "--into", tmp_path / "records"], env=environment, capture_output=True,
                         text=True, stdin=subprocess.DEVNULL)  # fmt: skip
    said = ran.stdout
    assert ran.returncode == 1, said + ran.stderr
    lines = [line for line in said.splitlines() if ": " in line and "GPU cells" in line]
    assert [line.split(":")[0] for line in lines] == ["bad", "endless", "good"], said
    assert "cell 2: NameError: name 'nothing' is not defined" in said and "no end within 30 s" in said
    record = json.loads((tmp_path / "records" / "gpu-t4.json").read_text())
    assert set(record["runs"]) == {"bad: two", "endless: x", "good: one"}
    assert record["runs"]["bad: two"] == 2.0 and len(record["runs"]["good: one"]["t"]) == 3
    assert record["pages"]["good"]["failed"] == [] and record["pages"]["bad"]["failed"]
    assert record["date"] == datetime.date.today().isoformat() and record["gpu"]["device"] == "Tesla T4"
    wrong = gpu.complaints(record, "gpu-t4", set(SMALL))  # what only a real machine has
    assert all(any(word in line for word in ("driver", "clock", "cuda", "CUDA")) for line in wrong), wrong
