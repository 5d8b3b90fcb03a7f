"""Every row of instructors/cases.md, handed in as one class."""
import os
import socket

import assignment
import cases
import psutil
import pytest
from grading import run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graded(limits, tmp_path_factory):
    """{case: result}, after the whole class was graded; and what was there before is there still."""
    folder, outside = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("outside")
    os.chmod(outside, 0o777)
    (outside / "kept.ipynb").write_text("kept")
    with socket.create_server(("127.0.0.1", 0)) as host, socket.socket(socket.AF_UNIX) as abstract, \
            socket.socket(socket.AF_UNIX) as named:
        abstract.bind(f"\0cases-{os.getpid()}")
        named.bind(str(outside / "socket"))
        for one in (abstract, named):
            one.listen()
        submissions = []
        for number, case in enumerate(cases.CASES):
            path = folder / f"{number}.ipynb"
            if case.make:
                case.make(path, outside)
            else:
                answer = case.answer.replace("OUTSIDE", str(outside)).replace("PORT", str(host.getsockname()[1]))
                answer = answer.replace("'ABSTRACT'", f"'\\0cases-{os.getpid()}'")
                assignment.write(path, assignment.handed_in({"small-waves": answer}))
            submissions.append(run.Submission(case.name, path))
        before = set(psutil.Process().children(recursive=True))
        source = assignment.write(folder / "small-exercises.ipynb", assignment.source())
        results, failed = run.grade_all(submissions, run.Terms(source, 7, limits), folder / "out")
        assert not failed
        for one in (host, abstract, named):
            one.setblocking(False)
            with pytest.raises(BlockingIOError):
                one.accept()
    left = [child for child in set(psutil.Process().children(recursive=True)) - before
            if "worker.py" in " ".join(child.cmdline())]
    assert not left
    assert (outside / "kept.ipynb").read_text() == "kept" and not (outside / "left").exists()
    return {result["student"]: result for result in results}


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
def test_case(case, graded):
    result = graded[case.name]
    exercises = {entry["id"].removesuffix("-tests"): entry for entry in result["exercises"]}
    said = [*result["notes"], *(entry["message"] for entry in result["exercises"])]
    points = {name: exercises[name]["points"] for name in cases.ALL}
    assert points == cases.points_of(case), said
    assert any(case.says in line for line in said), said
    assert all(len(line) < 700 and "\n" not in line for line in said)
    if case.points.get("small-waves") == 0 and case.points != cases.NONE:
        assert exercises["small-waves"]["status"] == case.status, said


def test_the_page_is_what_was_tried():
    assert cases.PAGE.read_text(encoding="utf-8") == cases.page(), "python tests/instructors/cases.py writes it"
