"""Writes into CONTRIBUTING.md which lessons use which helpers: python tools/used_by.py (`make outputs` calls it)."""
import ast
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = re.compile(r"(?<=<!-- used by -->\n).*?(?=<!-- end -->)", re.S)


def exported(folder: Path) -> list:
    """(file, name) of all that a package exports; a module that is itself exported stands as a whole."""
    names = ast.literal_eval(re.search(r"__all__ = (\[.*?\])", (folder / "__init__.py").read_text(), re.S)[1])
    home = {getattr(target, "id", getattr(target, "name", "")): path.stem
            for path in folder.glob("*.py") for node in ast.parse(path.read_text()).body
            for target in getattr(node, "targets", [getattr(node, "target", node)])}
    return sorted((home.get(name, name), name) for name in names)


def names_in(notebook: Path) -> set:
    """What the code of a lesson takes from the helper module, in its scripts too."""
    cells = json.loads(notebook.read_text(encoding="utf8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    imports = re.findall(r"from d2l_helpers[.\w]* import (\([^)]*\)|[^\n]*)", code)
    return set(re.findall(r"\b(?:d2l|hardware|distributed)\.(\w+)", code)) | set(re.findall(r"\w+", " ".join(imports)))


def table(root: Path = ROOT) -> str:
    listed = re.findall(r"chapters/([\w-]+)", (root / "_toc.yml").read_text(encoding="utf8"))
    order = [name for name in listed if (root / f"chapters/{name}.ipynb").exists()]  # the site's build names the others
    used, rows, seen = {name: names_in(root / f"chapters/{name}.ipynb") for name in order}, {}, set()
    for wing in ("", "hardware/", "distributed/"):
        for file, name in exported(root / "d2l_helpers" / wing):
            by, others = ([lesson for lesson in order if (name in used[lesson]) is wanted] for wanted in (True, False))
            said = ("all" + " but " * bool(others) + ", ".join(others)) if len(others) <= 4 else ", ".join(by)
            if name not in seen:  # a wing may hand on what the core has
                rows.setdefault((f"{wing}{file}", said or "none"), []).append(f"`{name}`")
            seen.add(name)
    lines = [f"| `{file}` | {', '.join(names)} | {said} |" for (file, said), names in rows.items()]
    return "\n".join(["| file | helpers | lessons |", "|---|---|---|", *lines, ""])


if __name__ == "__main__":
    page = ROOT / "CONTRIBUTING.md"
    page.write_text(TABLE.sub(lambda _: table(), page.read_text(encoding="utf8")), encoding="utf8")
