"""Every autograded exercise: the reference passes, the empty stub and the planted wrong solutions do not.

The page gives the exercises, wrong/TOPIC.py the wrong solutions, runner.py runs them.
"""
import multiprocessing
import os

import pytest
import runner

PAGES = sorted((runner.ROOT / "chapters").glob("*-exercises.ipynb"))
ALL = [exercise for page in PAGES for exercise in runner.exercises(page)]
AUTOGRADED = [exercise for exercise in ALL if exercise.autograded]
WRONG = {page.stem: runner.wrong(page.stem) for page in PAGES}
PLANTED = [(exercise, label) for exercise in AUTOGRADED for label in WRONG[exercise.page].get(exercise.grade_id, {})]
TIMED = [exercise for exercise in AUTOGRADED if any("perf_counter" in tests.source for tests in exercise.tests)]
VISIBLE_ONLY = "right on the visible cases only"

each = pytest.mark.parametrize("exercise", AUTOGRADED, ids=lambda exercise: exercise.grade_id)


@pytest.mark.slow
@each
def test_the_reference_passes_with_twenty_seeds(exercise):
    results = {seed: runner.run(exercise, seed=seed) for seed in range(20)}
    assert not {seed: result for seed, result in results.items() if not result.full}


@pytest.mark.parametrize("exercise", [pytest.param(exercise, id=exercise.grade_id,
                         marks=[pytest.mark.slow] * (exercise in TIMED)) for exercise in AUTOGRADED])
def test_the_reference_passes_in_a_worker_of_its_own(exercise):
    """Plain values only, and tests that need nothing of the solution cell but its functions."""
    for seed in (None, 0, 1, 2):
        result = runner.run(exercise, seed=seed, apart=True)
        assert result.full, result


@each
def test_the_empty_stub_fails(exercise):
    assert "raise NotImplementedError()" in exercise.stub
    for hidden in (False, True):
        result = runner.run(exercise, exercise.stub, hidden=hidden)
        assert result.error.startswith("NotImplementedError"), "the visible tests already must call each function"


@each
def test_the_wrong_solutions_fit_the_reference(exercise):
    """Each edit applies, and what comes of it is wrong in what it does, not in how it is written."""
    for label, planted in WRONG[exercise.page].get(exercise.grade_id, {}).items():
        code = runner.written_out(exercise, label, planted)
        assert code != exercise.solution, label
        compile(code, f"<{exercise.grade_id}: {label}>", "exec")


def test_an_edit_that_does_not_apply_says_where():
    exercise = runner.Exercise("page", "Title", {}, "page-twice", solution="def twice(n):\n    return n + n")
    assert runner.written_out(exercise, "squares", [("n + n", "n * n")]) == "def twice(n):\n    return n * n"
    assert runner.written_out(exercise, "nothing", "def twice(n):\n    pass") == "def twice(n):\n    pass"
    for old, count in (("2 * n", 0), ("twice(n):\n    pass", 0), ("n + ", 2)):
        with pytest.raises(ValueError) as error:  # the second edit meets what the first one has left
            runner.written_out(exercise, "is wrong", [("n + n", "n + n + n"), (old, "")])
        assert str(error.value) == f"page-twice, 'is wrong': the reference has {old!r} {count} times, not once"


@pytest.mark.slow
@pytest.mark.parametrize("exercise, label", PLANTED,
                         ids=[f"{exercise.grade_id}: {label}" for exercise, label in PLANTED])
def test_a_wrong_solution_fails(exercise, label):
    code = runner.written_out(exercise, label, WRONG[exercise.page][exercise.grade_id][label])
    for seed in range(3):
        result = runner.run(exercise, code, seed=seed, apart=seed == 2)
        assert not result.full
        assert not result.error.startswith(("NameError", "SyntaxError", "TimeoutError")), result.error
    if VISIBLE_ONLY in label:
        visible = runner.run(exercise, code, seed=1, hidden=False)
        assert not visible.error, f"{visible.error}: a visible test already finds it"


@pytest.mark.parametrize("page", [page.stem for page in PAGES])
def test_each_exercise_has_at_least_three_wrong_solutions_and_one_that_only_hidden_tests_find(page):
    here = [exercise.grade_id for exercise in AUTOGRADED if exercise.page == page]
    assert sorted(WRONG[page]) == sorted(here)
    few = {name: list(WRONG[page][name]) for name in here
           if len(WRONG[page][name]) < 3 or not any(VISIBLE_ONLY in label for label in WRONG[page][name])}
    assert not few


def test_what_a_student_returns_is_plain():
    for value in (None, 1, 2.5, "a", b"a", [1, (2, 3)], {"a": {"b": True}}):
        assert runner.plain(value) == value
    for value in ({1: 2}, {1, 2}, object(), len, (i for i in [1])):
        with pytest.raises(TypeError, match="not plain"):
            runner.plain(value)


def _spin():
    while True:
        pass


@pytest.mark.slow
@pytest.mark.skipif(not TIMED, reason="no exercise is judged by a time")
@pytest.mark.parametrize("exercise", TIMED, ids=lambda exercise: exercise.grade_id)
def test_where_time_tells_the_reference_passes_beside_other_work(exercise):
    context = multiprocessing.get_context("spawn")
    neighbours = [context.Process(target=_spin, daemon=True) for _ in range(os.cpu_count() or 1)]
    try:
        for neighbour in neighbours:
            neighbour.start()
        results = [runner.run(exercise, seed=seed) for seed in range(10)]
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.join()
    assert all(result.full for result in results), results
