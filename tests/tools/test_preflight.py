"""Each foreseeable obstacle gets one clear line."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import preflight
import pytest

OLD_PYTHONS = [path for version in ("3.6", "3.7", "3.8", "3.9", "3.10") if (path := shutil.which(f"python{version}"))]


@pytest.mark.parametrize("version, said", [
    ((3, 6), "Python 3.6 is too old: the book needs 3.11 or 3.12"), ((3, 10), "too old"), ((3, 13), "too new"),
    ((4, 0), "too new")])
def test_a_wrong_python_is_named(version, said):
    line = preflight.python_problem(version)
    assert said in line and "make PYTHON=" in line and "\n" not in line


@pytest.mark.parametrize("version", [(3, 11), (3, 12, 4)])
def test_a_right_python_is_not(version):
    assert preflight.python_problem(version) is None


def test_debian_without_python3_venv():
    assert "apt-get install python3-venv" in preflight.python_problem((3, 11), has=lambda name: name != "ensurepip")


def test_the_program_starts_on_an_old_python():
    text = Path(preflight.__file__).read_text()
    compile(text, "preflight.py", "exec", dont_inherit=True)
    import ast
    ast.parse(text, feature_version=(3, 6))  # no newer syntax, so that an old Python gets the line
    for python in OLD_PYTHONS:
        ran = subprocess.run([python, preflight.__file__, "check"], capture_output=True, text=True,
                             cwd=os.path.dirname(preflight.ROOT))
        if "not found" not in ran.stderr:  # a shim of a Python that is not there
            assert "Traceback" not in ran.stderr


def test_a_full_disk():
    assert preflight.disk_problem(1e9) == "The disk is too full: installing needs 4.0 GB, 1.0 GB are free."
    assert preflight.disk_problem(5e9) is None
    assert preflight.disk_note(5e9).startswith("5.0 GB of disk are free")
    assert preflight.disk_note(1e9) is None and preflight.disk_note(13e9) is None


def test_no_compiler_and_no_headers(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    assert "No C++ compiler (g++ not found)" in preflight.compiler_note(which=lambda name: None, system="linux")
    assert "clang++" in preflight.compiler_note(which=lambda name: None, system="darwin")
    assert "python3-dev" in preflight.compiler_note(which=lambda name: name, exists=lambda path: False)
    assert preflight.compiler_note(which=lambda name: name, exists=lambda path: True) is None
    monkeypatch.setenv("CXX", "mycxx")
    assert preflight.compiler_note(which={"mycxx": "mycxx"}.get, exists=lambda path: True) is None


@pytest.mark.parametrize("system, machine, runs", [
    ("linux", "x86_64", True), ("darwin", "x86_64", True), ("linux", "aarch64", False), ("darwin", "arm64", False)])
def test_where_mxnet_runs(system, machine, runs):
    assert (preflight.mxnet_note(system, machine) is None) == runs


def test_pages_without_mxnet(tmp_path, monkeypatch):
    (tmp_path / "chapters").mkdir()
    for name in ("compilers", "compilers-mxnet"):
        (tmp_path / "chapters" / f"{name}.ipynb").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preflight, "mxnet_note", lambda: None)
    assert len(preflight.pages()) == 2
    monkeypatch.setattr(preflight, "mxnet_note", lambda: "no MXNet here")
    assert preflight.pages() == [os.path.join("chapters", "compilers.ipynb")]


@pytest.mark.parametrize("log, said", [
    ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
    ("Retrying … NewConnectionError('… Failed to establish a new connection: [Errno -3] Temporary failure in "
     "name resolution')\nERROR: No matching distribution found for torch==2.13.0", "network does not answer"),
    ("ERROR: ResolutionImpossible: for help visit", "contradict each other"),
    ("ERROR: No matching distribution found for mxnet==1.9.1", "no package mxnet==1.9.1"),
    ("PermissionError: [Errno 13] Permission denied: 'x'", "cannot be written"),
    ("Collecting a\nERROR: something of its own", "something of its own"),
    ("", "without saying why")])
def test_a_failed_install_is_explained(log, said):
    assert said in preflight.explain(log)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose installer is a script: it fails or succeeds as the test says."""
    (tmp_path / "requirements.txt").write_text("one==1\n")
    monkeypatch.setattr(preflight, "ROOT", str(tmp_path))
    monkeypatch.setattr(preflight, "check", lambda installing: True)
    monkeypatch.chdir(tmp_path)
    calls = []

    def run_logged(command, label, log, every=None):
        calls.append(label)
        if label == "virtual environment":
            Path(".venv/bin").mkdir(parents=True)
            Path(".venv/bin/python").touch()
        result = project.result if label == project.step else 0
        if isinstance(result, BaseException):
            raise result
        return result

    def project():
        calls.clear()
        status = preflight.main(["install", ".venv"])
        return status, list(calls)

    project.result, project.step = 0, "requirements.txt"
    monkeypatch.setattr(preflight, "run_logged", run_logged)
    return project


def test_an_install_is_made_once(project, tmp_path):
    everything = (0, ["virtual environment", "requirements.txt", "the course's helper module"])
    assert project() == everything
    assert preflight.is_finished(".venv")
    assert project() == (0, ["the course's helper module"])  # pyproject.toml changed
    (tmp_path / "requirements.txt").write_text("one==2\n")
    assert not preflight.is_finished(".venv")
    assert project() == everything


@pytest.mark.parametrize("result, status", [(1, 1), (KeyboardInterrupt(), 130), (OSError(28, "full"), 1)])
def test_a_failed_or_interrupted_install_does_not_count(project, result, status, capsys):
    assert project()[0] == 0
    Path("requirements.txt").write_text("one==2\n")
    project.result = result
    assert project()[0] == status
    assert not Path(".venv/finished").exists()
    assert "Traceback" not in capsys.readouterr().err


def test_a_failed_update_of_the_helper_module_does_not_count(project):
    assert project()[0] == 0
    project.result, project.step = 1, "the course's helper module"
    assert project() == (1, ["the course's helper module"])
    assert not Path(".venv/finished").exists()


def test_a_moved_venv_is_forgotten(project, tmp_path, monkeypatch):
    project()
    preflight.forget_moved(".venv")
    assert preflight.is_finished(".venv")
    monkeypatch.setattr(preflight, "ROOT", str(tmp_path / "elsewhere"))
    preflight.forget_moved(".venv")
    assert not Path(".venv/finished").exists()


def test_the_install_shows_that_it_works(tmp_path, monkeypatch, capsys):
    (tmp_path / "_build").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preflight, "ROOT", str(tmp_path))
    script = "print('Collecting torch==2.13.0', flush=True); import time; time.sleep(1)"
    status = preflight.run_logged([sys.executable, "-c", script], "requirements.txt",
                                  lambda: Path(preflight.LOG).read_text(), every=0.3)
    said = capsys.readouterr().err
    assert status == 0 and "Collecting torch==2.13.0" in said and "ok, 1 s" in said


def test_progress_of_a_long_install_tells_the_step():
    assert preflight.last_step("Collecting a\n  Downloading https://example.org/x/torch-2.whl (9 MB)") \
        == "Downloading torch-2.whl"
    assert preflight.last_step("") == "starting"
