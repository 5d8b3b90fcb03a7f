"""The Colab edition: every page as one notebook that needs no other file, no address and, after set-up, no network.

    colab.py make [NAME…]          write it to _build/colab
    colab.py try [NAME…] [--all]   run it as Colab would, from an empty folder; what passed stands in records/colab.json

The set-up cell carries d2l_helpers and the records that the page may show. Colab's Markdown shows no SVG
(https://github.com/googlecolab/colabtools/issues/2092, read in November 2026): drawings become PNG.
"""
import argparse
import base64
import copy
import functools
import hashlib
import html
import io
import json
import re
import sys
import tarfile

import nbformat
import pages
import run
import students

HELPERS = ("*.py", "*.mplstyle", "hardware/*", "distributed/*")

SETUP = '''\
# @title Set-up: run this first. The course's helper module is in this cell; nothing else is needed.
import base64, importlib, importlib.util, io, os, subprocess, sys, tarfile, tempfile

HELPERS = """
{helpers}
"""
PLACE = tempfile.TemporaryDirectory(prefix="d2l-")  # goes away with the kernel
tarfile.open(fileobj=io.BytesIO(base64.b85decode(HELPERS.replace("\\n", "")))).extractall(PLACE.name, filter="data")
sys.path.insert(0, PLACE.name)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PLACE.name, os.environ.get("PYTHONPATH")]))  # for scripts
import d2l_helpers as d2l
{more}'''

# What follows the import: a line about this machine, and plain text where a cell takes long.
PROGRESS = '''\
import hashlib, logging, time, warnings

SECONDS, BEGUN = {seconds}, time.perf_counter()  # of the cells that take long, by their text, where this was written


def say_how_long(info):
    text = hashlib.sha256(info.raw_cell.strip().encode()).hexdigest()[:8]
    if text in SECONDS:
        print(f"(this takes about {{SECONDS[text]}} s on two cores)", flush=True)


if "get_ipython" in globals():
    get_ipython().events.register("pre_run_cell", say_how_long)
# Remarks of PyTorch 2.11 to its own authors: a runtime without a GPU has CUDA's compiler; it reads a file it wrote.
logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", message="The given buffer is not writable")
print("here:", d2l.machine_line())
'''
# One more remark, of its profiler; not in the digest of what passed, since it only takes a line away.
REMARK = 'warnings.filterwarnings("ignore", message="Warning: Profiler clears events")\n'
# Asked without torch: a page may have to set its threads before torch comes.
OLD_GPU = '''\
import shutil, subprocess

ask = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
gpu = subprocess.run(ask, capture_output=True, text=True).stdout if shutil.which(ask[0]) else ""
if not gpu.strip():
    print("No GPU here: choose one under Runtime, Change runtime type, and this page measures it too.")
elif float(gpu.split()[0]) < 8:
    print("This GPU has no units for bfloat16 and TF32: rows that need them are left out.")
'''
FEW = 'if d2l.cores() < 2 or (d2l.memory_size() or 2**40) < 8 * 2**30:\n' \
      '    print("Few cores or little memory: what needs more says so in one line, and the rest runs.")\n'
END = 'print(f"The whole page took {time.perf_counter() - BEGUN:.0f} s here{expected}.")'


# --- what rides in the set-up cell

def plain(name):
    """An entry of the archive that is the same wherever it is made."""
    def entry(info):
        info.name, info.mtime, info.uid, info.gid, info.uname, info.gname, info.mode = name, 0, 0, 0, "", "", 0o644
        return info
    return entry


@functools.cache
def packed(records, root=pages.ROOT):
    """The helper module with these records as text: a compressed archive in lines of base 85."""
    helpers, buffer = root / "d2l_helpers", io.BytesIO()
    files = {f"d2l_helpers/{path.relative_to(helpers).as_posix()}": path for pattern in HELPERS
             for path in helpers.glob(pattern) if path.is_file() and path.suffix != ".pyc"}
    files |= {f"d2l_helpers/recorded/{name}.json": root / "records" / f"{name}.json" for name in records}
    with tarfile.open(fileobj=buffer, mode="w:xz", preset=9) as archive:
        for name, path in sorted(files.items()):
            archive.add(path, filter=plain(name))
    text = base64.b85encode(buffer.getvalue()).decode()
    return "\n".join(text[start:start + 118] for start in range(0, len(text), 118))


def records_of(code, root):
    """The records that a page may show; of a GPU, all that there are."""
    names = set(pages.records(code))
    if "gpu" in code:
        names |= {path.stem for path in (root / "records").glob("gpu-*.json")}
    return tuple(sorted(name for name in names if (root / "records" / f"{name}.json").is_file()))


def has_gpu(code):
    return bool(re.search(r"\bcuda\b|gpu_|num_gpus|try_gpu|ranks_here", code))


# --- what Colab's Markdown knows

@functools.cache
def png(name, root):
    """The address that holds images/NAME.svg, drawn on white: Colab may be dark."""
    import resvg_py
    from PIL import Image

    drawn = resvg_py.svg_to_bytes(svg_path=str(root / "images" / f"{name}.svg"), background="white", zoom=1.5)
    small = io.BytesIO()
    Image.open(io.BytesIO(drawn)).convert("RGB").quantize(64).save(small, "png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(small.getvalue()).decode()


def titles(root):
    """{file: title} of all pages, for links that lead out of the notebook."""
    found = {}
    for path in pages.listed(root):
        first = pages.read(path).cells[0].source
        found[path.name] = re.match(r"# (.*)", first)[1] if first.startswith("# ") else path.stem
    return found


def linked(text, known, site):
    """Links between pages: to the site where it has an address, else the page's title as plain words."""
    def mend(found):
        words, name, anchor = found.groups()
        if name not in known:
            return found[0]
        if site:
            return f"[{words}]({site}/chapters/{name.removesuffix('.ipynb')}.html{anchor or ''})"
        title = known[name]
        return f"*{words}*" if words.strip("*").lower() == title.lower() else f"*{words}* (the page *{title}*)"
    return re.sub(r"\[([^\]\n]+)\]\(([\w-]+\.ipynb)(#[\w-]*)?\)", mend, text)


def quoted(fence):
    """A ::: fence as a quotation, its title in bold."""
    return "\n".join(f"> {line}" for line in [f"**{fence[1]}**" if fence[1] else "", *fence[2].splitlines()])


def readable(text, known, site, root):
    """A cell of text as Colab shows it: drawings as PNG, links that lead somewhere, fences as quotations."""
    text = pages.DRAWING.sub(lambda m: f"![{html.unescape(m[2])}]({png(m[1], root)})", text)
    text = re.sub(r"(?ms)^:::+ *\{\w+\} *(.*?)\n(.*?)^:::+ *$", quoted, text)
    return linked(text, known, site)


# --- the notebook

def edition(notebook, name, known, site="", root=pages.ROOT):
    """A page as Colab gets it; the given notebook stays as it is."""
    new, stamp = copy.deepcopy(notebook), notebook.metadata.get("d2l", {})
    code = "\n".join(cell.source for cell in pages.code_cells(notebook))
    gpu, mxnet = has_gpu(code), name.endswith("-mxnet")
    took = {hashlib.sha256(cell.source.strip().encode()).hexdigest()[:8]: stamp["long"][cell.id]
            for cell in pages.code_cells(notebook) if cell.get("id") in stamp.get("long", {})}
    for cell in new.cells:
        if pages.is_setup(cell):
            more = PROGRESS.format(seconds=json.dumps(took)) + REMARK + FEW + OLD_GPU * (gpu and not mxnet)
            more += "d2l.need_mxnet()\n" * mxnet
            cell.source = SETUP.format(helpers=packed(records_of(code, root), root), more=more).rstrip()
            cell.metadata, cell.outputs = nbformat.from_dict({"cellView": "form"}), []
        elif cell.cell_type == "markdown":
            cell.source = readable(cell.source, known, site, root)
        else:
            kept = ("nbgrader", "tags") if "nbgrader" in cell.metadata else ()
            cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in kept if key in cell.metadata})
    seconds = stamp.get("seconds")
    head = [f"takes about {seconds} s on two cores" if seconds else "", "uses a GPU where there is one" if gpu else
            "needs no GPU", "its helper module is in the first cell: nothing else is needed"]
    new.cells[0].source += "\n\n*This notebook " + "; ".join(filter(None, head)) + ".*"
    expected = f"; about {seconds} s on the two cores it was written on" if seconds else ""
    new.cells.append(nbformat.v4.new_code_cell(END.replace("{expected}", expected), id="the-end"))
    new.metadata = nbformat.from_dict({
        "colab": {"name": f"{name}.ipynb", "provenance": [], "toc_visible": True, **({"gpuType": "T4"} if gpu else {})},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"}, **({"accelerator": "GPU"} if gpu else {})})
    return new


def address(root=pages.ROOT):
    """The site's own address, from `_config.yml`; empty until it is known."""
    import yaml

    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return settings.get("html", {}).get("baseurl", "").rstrip("/")


def editions(names=(), root=None, solved=False):
    """(name, notebook) of the chosen pages in the Colab edition; exercises without their solutions, or with."""
    root = root or pages.ROOT
    known, site = titles(root), address(root)
    for path in pages.chosen(names, root):
        notebook = pages.read(path)
        if pages.is_exercises(notebook) and not solved:
            notebook = students.edition(notebook)
        yield path.stem, edition(notebook, path.stem, known, site, root)


def make(names=()):
    out = run.BUILD / "colab"
    out.mkdir(parents=True, exist_ok=True)
    for name, notebook in editions(names):
        text = pages.canonical(notebook)
        (out / f"{name}.ipynb").write_text(text, encoding="utf-8")
        print(f"{name}.ipynb, {len(text) // 1000} kB", flush=True)
    print(f"The Colab edition is in {out}: upload a file at https://colab.research.google.com (File, Upload notebook).")
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("make", "try"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="chapters/NAME.ipynb or NAME (default: all)")
    parser.add_argument("--all", action="store_true", help="try: also what passed before, unchanged")
    options = parser.parse_args(arguments)
    if options.command == "make":
        return run.guarded(lambda: make(options.names))
    import as_colab
    return run.guarded(lambda: 1 if as_colab.try_all(options.names, options.all)[1] else 0)


if __name__ == "__main__":
    sys.exit(main())
