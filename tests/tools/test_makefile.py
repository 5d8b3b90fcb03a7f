"""What make does, and in which order: with a stand-in for Python that writes down how it is called."""
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import preflight
import pytest

# Runs no notebook: notes its arguments, and marks a notebook as tested unless its text says FAIL.
STAND_IN = """#!/bin/sh
echo "$@" >> calls
case "$1 $2" in
"tools/notebooks.py test")
    status=0; shift 4
    for name in "$@"; do if grep -q FAIL "chapters/$name.ipynb"; then status=1; else touch "_build/tested/$name.ok"; fi
    done; exit $status;;
"tools/site.py build") ! grep -q FAIL _config.yml;;
esac
"""


@pytest.fixture
def course(tmp_path):
    """A course in a folder whose name has a space."""
    root = tmp_path / "my course"
    for folder in ("chapters", "d2l_helpers", "tools", ".venv/bin"):
        (root / folder).mkdir(parents=True)
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "tools/preflight.py"):
        shutil.copy(Path(preflight.ROOT) / name, root / name)
    for name in ("measuring", "compilers"):
        (root / "chapters" / f"{name}.ipynb").write_text("{}")
    (root / "_config.yml").write_text("")
    (root / "d2l_helpers" / "timing.py").write_text("")
    python = root / ".venv/bin/python"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    for path in root.rglob("*"):
        os.utime(path, (1e9, 1e9))  # all is old
    (root / ".venv/finished").write_text(preflight.key(str(root)))
    return root


def make(course, *arguments):
    """The exit status, what was said, and how Python was called."""
    (course / "calls").unlink(missing_ok=True)
    ran = subprocess.run(["make", f"PYTHON={sys.executable}", *arguments], cwd=course, capture_output=True, text=True,
                         env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")})
    calls = course / "calls"
    return ran.returncode, ran.stdout + ran.stderr, calls.read_text().splitlines() if calls.exists() else []


def executed(calls):
    return sorted(name for call in calls if "notebooks.py test" in call for name in call.split()[4:])


def change(path, text="{ }"):
    time.sleep(0.05)  # a file system's clock ticks every few milliseconds
    path.write_text(text)


def test_book_executes_what_changed(course):
    status, said, calls = make(course, "book")
    assert status == 0, said
    assert executed(calls) == ["compilers", "measuring"]
    assert calls[-1] == "tools/site.py build"

    assert make(course, "book")[2] == ["tools/site.py build"], "nothing changed, nothing is executed"

    change(course / "chapters" / "measuring.ipynb")
    assert executed(make(course, "book")[2]) == ["measuring"]

    change(course / "d2l_helpers" / "timing.py", "# new")
    assert executed(make(course, "book")[2]) == ["compilers", "measuring"]

    change(course / "d2l_helpers" / "new.py", "")
    assert executed(make(course, "book")[2]) == ["compilers", "measuring"]

    change(course / ".venv/finished", preflight.key(str(course)))
    assert executed(make(course, "book")[2]) == ["compilers", "measuring"]


def test_all_are_tested_in_one_run_one_after_the_other(course):
    calls = make(course, "-j4", "book")[2]
    assert len([call for call in calls if "notebooks.py test" in call]) == 1
    assert calls[-1] == "tools/site.py build"


def test_a_failing_notebook_is_tested_again_and_alone(course):
    change(course / "chapters" / "measuring.ipynb", "FAIL")
    for names in (["compilers", "measuring"], ["measuring"]):
        status, _, calls = make(course, "book")
        assert status != 0 and executed(calls) == names
        assert "tools/site.py build" not in calls
    change(course / "chapters" / "measuring.ipynb")
    assert make(course, "book")[0] == 0


def test_test_executes_always_and_all(course):
    make(course, "book")
    for _ in range(2):
        status, said, calls = make(course, "test")
        assert status == 0, said
        assert calls[0] == "tools/site.py build" and len(calls) == 2
        assert "--nbval" in calls[1]
        assert "chapters/compilers.ipynb chapters/measuring.ipynb" in calls[1]
        for folder in ("helpers", "tools", "notebooks", "site"):
            assert f"tests/{folder}" in calls[1]


def test_a_site_that_is_not_built_fails_the_tests(course):
    change(course / "_config.yml", "FAIL")
    status, said, calls = make(course, "test")
    assert status != 0 and "The site was not built" in said
    assert len(calls) == 2, "the other tests ran"


def test_site_executes_nothing(course):
    assert make(course, "site")[2] == ["tools/site.py build"]


def test_outputs_passes_its_wishes_on(course):
    assert make(course, "outputs")[2] == ["tools/notebooks.py outputs"]
    assert make(course, "outputs", "ALL=1")[2] == ["tools/notebooks.py outputs --all"]
    assert make(course, "outputs", "NAMES=compilers")[2] == ["tools/notebooks.py outputs compilers"]


@pytest.mark.parametrize("name", ["requirements.txt", "pyproject.toml"])
def test_changed_requirements_make_the_environment_anew(course, name):
    os.utime(course / name)
    os.utime(course / ".venv/finished", (1e9, 1e9))
    said = make(course, "-n", "site")[1]
    assert "preflight.py install .venv" in said
    os.utime(course / ".venv/finished")
    assert "preflight.py install" not in make(course, "-n", "site")[1]


def test_an_interrupted_environment_is_made_anew(course):
    (course / ".venv/finished").unlink()
    assert "preflight.py install .venv" in make(course, "-n", "site")[1]


def test_an_environment_that_moved_is_made_anew(course):
    moved = course.rename(course.parent / "moved")
    assert "preflight.py install .venv" in make(moved, "-n", "site")[1]


def test_no_python_is_one_line(course):
    status, said, _ = make(course, "site", "PYTHON=/nowhere/python3")
    assert status != 0
    assert "error: no working Python here (/nowhere/python3): install 3.11 or 3.12" in said.splitlines()


def test_the_first_python_that_fits_is_taken(course, tmp_path):
    """Names that exist and do not work, or are of a wrong version, are passed over."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in {"python3.12": "#!/bin/sh\necho 'command not found' >&2; exit 127\n",
                       "python3.11": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    ran = subprocess.run(["make", "-pn", "help"], cwd=course, capture_output=True, text=True,
                         env={"PATH": f"{folder}:/usr/bin:/bin"})
    assert "PYTHON := python3.11" in ran.stdout


def test_help_names_every_command(course):
    text = (course / "Makefile").read_text()
    said = make(course, "help")[1]
    for name in ("book", "test", "site", "serve", "outputs", "bench", "clean", "help"):
        assert f"\n{name}:" in text and f"make {name} " in said
    assert make(course)[1] == said, "make alone helps"


def test_clean_keeps_the_environment(course):
    make(course, "book")
    make(course, "clean")
    assert not (course / "_build").exists() and (course / ".venv").exists()
    make(course, "clean-all")
    assert not (course / ".venv").exists()
