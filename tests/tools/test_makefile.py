"""What make calls, and in which order: with a stand-in for Python that writes down how it is called."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import preflight
import pytest

STAND_IN = """#!/bin/sh
echo "$@" >> calls
! grep -q "$1 FAILS" _config.yml
"""


@pytest.fixture
def course(tmp_path):
    """A course in a folder whose name has a space, with a finished environment."""
    root = tmp_path / "my course"
    for folder in ("tools", ".venv/bin"):
        (root / folder).mkdir(parents=True)
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "tools/preflight.py"):
        shutil.copy(Path(preflight.ROOT) / name, root / name)
    (root / "_config.yml").write_text("")
    python = root / ".venv/bin/python"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    finish(root)
    return root


def finish(root):
    """Mark the environment as made from these requirements in this folder."""
    script = "import sys; sys.path[:0] = ['tools']; import preflight as p; open('.venv/finished', 'w').write(p.now())"
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True)


def make(course, *arguments):
    """The exit status, what was said, and how Python was called."""
    (course / "calls").unlink(missing_ok=True)
    ran = subprocess.run(["make", f"PYTHON={sys.executable}", *arguments], cwd=course, capture_output=True, text=True,
                         env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")})
    calls = course / "calls"
    return ran.returncode, ran.stdout + ran.stderr, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.parametrize("arguments, calls", [
    (["book"], ["tools/run.py test", "tools/website.py build"]),
    (["-j4", "book", "NAMES=a b"], ["tools/run.py test a b", "tools/website.py build"]),
    (["test"], ["tools/suite.py test"]),
    (["test", "ALL=1"], ["tools/suite.py test --all"]),
    (["test", "NAMES=a b"], ["tools/suite.py test a b"]),
    (["check"], ["tools/suite.py check"]),
    (["site"], ["tools/website.py build"]),
    (["serve"], ["tools/website.py serve"]),
    (["site", "EDITION=instructor"], ["tools/website.py build --edition instructor"]),
    (["book", "EDITION=instructor"], ["tools/run.py test", "tools/website.py build --edition instructor"]),
    (["students"], ["tools/students.py"]),
    (["students", "NAMES=a b"], ["tools/students.py a b"]),
    (["outputs"], ["tools/used_by.py", "tools/run.py outputs"]),
    (["outputs", "ALL=1"], ["tools/used_by.py", "tools/run.py outputs --all"]),
    (["outputs", "NAMES=a"], ["tools/used_by.py", "tools/run.py outputs a"]),
    (["machines"], ["tools/machines.py"]),
    (["machines", "NAMES=a b", "ON=older busy"], ["tools/machines.py --on older busy a b"]),
    (["gpu", "GPU_PYTHON=.venv/bin/python", "NAMES=a b"], ["tools/gpu.py a b"]),
    (["zip"], ["tools/offline.py zip"]), (["pdf"], ["tools/offline.py pdf"]), (["links"], ["tools/offline.py links"]),
    (["bench"], ["tools/bench.py", "tools/bench_site.py"])])
def test_what_a_command_calls(arguments, calls, course):
    status, said, called = make(course, *arguments)
    assert status == 0, said
    assert called == calls


def test_a_failing_page_stops_the_book(course):
    (course / "_config.yml").write_text("tools/run.py FAILS")
    status, _, calls = make(course, "book")
    assert status != 0 and calls == ["tools/run.py test"]


@pytest.mark.parametrize("change", [
    lambda course: (course / "requirements.txt").write_text("one==1"),
    lambda course: course.rename(course.parent / "b"),
    lambda course: (course / ".venv/finished").unlink(), lambda course: (course / ".venv/bin/python").unlink()])
def test_an_environment_that_does_not_fit_is_made_anew(change, course):
    """Its requirements changed, it moved, it was interrupted, or it lost its Python."""
    moved = change(course)
    script = ("import sys; sys.path[:0] = ['tools']; import preflight as p; p.say = lambda line: None\n"
              "p.python_problem = p.disk_problem = lambda *a, **b: None\n"
              "p.install = lambda venv, anew: print(venv, anew) or 0; sys.exit(p.main('.venv'))")
    folder = moved if isinstance(moved, Path) else course
    ran = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)
    assert ran.stdout == ".venv True\n", ran.stderr


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
    for name in ("book test check site serve zip pdf links students colab outputs machines gpu grade bench clean "
                 "help").split():
        assert f"\n{name}:" in text and f"make {name} " in said
    assert make(course)[1] == said, "make alone helps"


def test_clean_keeps_the_environment(course):
    (course / "_build").mkdir()
    make(course, "clean")
    assert not (course / "_build").exists() and (course / ".venv").exists()
    make(course, "clean-all")
    assert not (course / ".venv").exists()


@pytest.mark.parametrize("made, status, last", [
    ("mkdir -p _build; echo '7 passed, 1 failed' > _build/summary; exit 2", 2, "7 passed, 1 failed"),
    ("mkdir -p _build; echo '8 passed, 0 failed' > _build/summary", 0, "8 passed, 0 failed"),
    ("exit 2", 2, "0 passed, 1 failed")])
def test_continuous_integration_ends_with_the_count(made, status, last, tmp_path):
    programs = {"make": f'echo "CI=$CI make $*"; {made}', "dpkg-query": "echo installed"}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".ci").mkdir()
    (tmp_path / "_build").mkdir()
    (tmp_path / "_build/summary").write_text("of an earlier run\n")
    shutil.copy(Path(preflight.ROOT) / ".ci/run", tmp_path / ".ci/run")
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    ran = subprocess.run([tmp_path / ".ci/run"], env=path, capture_output=True, text=True)
    lines = ran.stdout.splitlines()
    assert ran.returncode == status and lines[-1] == last and "CI=true make test" in lines
