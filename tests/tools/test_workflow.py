"""The workflow that publishes: valid, with pinned actions, and only what the Makefile has."""
import re

import pages
import yaml

FILE = pages.ROOT / ".github/workflows/publish.yml"


def test_it_runs_commands_of_the_makefile_and_pins_its_actions():
    workflow = yaml.safe_load(FILE.read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = (pages.ROOT / "Makefile").read_text()
    made = re.findall(r"(?m)^make ([a-z]+)", "\n".join(step.get("run", "") for step in steps))
    assert {"site", "colab", "links"} == set(made)
    assert all(re.search(rf"(?m)^{name}\b.*:", commands) for name in made)
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"]) for step in steps if "uses" in step)


def test_nothing_is_published_before_the_course_has_an_address():
    steps = yaml.safe_load(FILE.read_text())["jobs"]["publish"]["steps"]
    runs = [step.get("run", "") for step in steps]
    assert runs.index("! grep -q OWNER/REPOSITORY _config.yml") < runs.index("make site")
