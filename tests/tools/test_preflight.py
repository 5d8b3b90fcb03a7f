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


@pytest.mark.slow
def test_the_program_starts_on_an_old_python():
    text = Path(preflight.__file__).read_text()
    compile(text, "preflight.py", "exec", dont_inherit=True)
    import ast
    ast.parse(text, feature_version=(3, 6))  # no newer syntax, so that an old Python gets the line
    for python in OLD_PYTHONS:
        ran = subprocess.run([python, preflight.__file__, "/nowhere"], capture_output=True, text=True,
                             cwd=os.path.dirname(preflight.ROOT))
        if "not found" not in ran.stderr:  # a shim of a Python that is not there
            assert "Traceback" not in ran.stderr


def test_a_full_disk():
    assert preflight.disk_problem(1e9) == "1.0 GB of disk are free: installing needs 4 GB."
    assert preflight.disk_problem(5e9) is None
    assert preflight.disk_problem(5e9, needed=12, why="CUDA needs") == "5.0 GB of disk are free: CUDA needs 12 GB."


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


@pytest.mark.parametrize("line, said", [
    ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
    ("Retrying … NewConnectionError('… Failed to establish a new connection: [Errno -3] Temporary failure in "
     "name resolution')\nERROR: No matching distribution found for torch==2.13.0", "the network does not answer"),
    ("ERROR: ResolutionImpossible: for help visit", "the requirements contradict each other"),
    ("ERROR: No matching distribution found for mxnet==1.9.1", "a package has no version for this Python"),
    ("PermissionError: [Errno 13] Permission denied: 'x'", "a folder cannot be written"),
    ("ERROR: something of its own", "pip's own lines above say why")])
def test_a_failed_install_is_explained_beneath_what_pip_says(line, said, capsys):
    script = "import sys; print(sys.argv[1], file=sys.stderr); sys.exit(1)"
    assert preflight.loud([sys.executable, "-c", script, line]).startswith(said)
    assert line in capsys.readouterr().err


def test_a_good_step_has_no_cause():
    assert preflight.loud([sys.executable, "-c", "print('Collecting torch')"]) == ""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose installer is a script: it fails or succeeds as the test says."""
    for name in ("requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_text("one==1\n")
    monkeypatch.setattr(preflight, "ROOT", str(tmp_path))
    monkeypatch.setattr(preflight, "python_problem", lambda: None)
    monkeypatch.setattr(preflight, "disk_problem", lambda **limits: None)
    monkeypatch.chdir(tmp_path)
    calls = []

    def loud(command):
        step = "environment" if "venv" in command else command[-1]
        calls.append(step)
        if step == "environment":
            Path(".venv/bin").mkdir(parents=True)
            Path(".venv/bin/python").touch()
        result = project.result if step == project.step else ""
        if isinstance(result, BaseException):
            raise result
        return result

    def project():
        calls.clear()
        return preflight.main(".venv"), list(calls)

    project.result, project.step = "", "requirements.txt"
    monkeypatch.setattr(preflight, "loud", loud)
    return project


def test_an_install_is_made_once(project):
    everything = (0, ["environment", "requirements.txt", "."])
    assert project() == everything and project() == (0, [])
    Path("pyproject.toml").write_text("new")
    assert project() == (0, ["."]) and project() == (0, [])
    Path("requirements.txt").write_text("one==2\n")
    assert project() == everything


def test_an_environment_of_another_folder_does_not_count(project, tmp_path, monkeypatch):
    project()
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    monkeypatch.setattr(preflight, "ROOT", str(moved))
    assert project() == (0, ["environment", "requirements.txt", "."])


@pytest.mark.parametrize("step", ["requirements.txt", "."])
@pytest.mark.parametrize("result, status", [("why", 1), (KeyboardInterrupt(), 130), (OSError(28, "full"), 1)])
def test_a_failed_or_interrupted_install_does_not_count(result, status, step, project, capsys):
    project.result, project.step = result, step
    assert project()[0] == status and not Path(".venv/finished").exists()
    assert "Traceback" not in capsys.readouterr().err
    project.result = ""
    assert project()[0] == 0


def test_a_failed_update_of_the_helper_module_does_not_count(project):
    assert project()[0] == 0
    Path("pyproject.toml").write_text("new")
    project.result, project.step = "why", "."
    assert project() == (1, ["."]) and not Path(".venv/finished").exists()


def test_an_old_python_is_one_line_and_stops(project, monkeypatch, capsys):
    monkeypatch.setattr(preflight, "python_problem", lambda: "Python 3.6 is too old")
    assert project() == (1, []) and "error: Python 3.6 is too old\n" in capsys.readouterr().err
