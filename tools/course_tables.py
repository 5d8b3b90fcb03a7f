"""The tables of the instructors' pages, made from the lessons and exercises while the site is built: never out of date.

In a page of instructors/ a comment stands for what is made:

    <!-- made: lessons -->      every lesson with its minutes
    <!-- made: exercises -->    every exercise with points, minutes, difficulty, hardware, and the lesson it serves
    <!-- made: objectives -->   what each lesson teaches, and the exercises that serve it
    <!-- made: rubrics -->      model answers and rubrics; in the instructors' edition only
    <!-- made: timings -->      how long each page takes, as one table; in the instructors' edition only
    <!-- made: plan
    1: measuring ladder          one line a week: lessons and pages of exercises by their names
    -->                         a syllabus with hours
"""
import re

import pages

MADE = re.compile(r"<!-- made: (\w+)(.*?)-->", re.S)
PRIVATE = ("> This table stands in the instructors' edition only, so that no answer is on the public site: "
           "`make site EDITION=instructor`.")


def title(notebook):
    return notebook.cells[0].source.split("\n")[0].lstrip("# ").strip()


def escape(text):
    return text.replace("|", "\\|")


def table(columns, rows):
    return "\n".join(["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns),
                      *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def hours(minutes):
    """90 as `1 h 30 min`."""
    return " ".join(filter(None, [f"{minutes // 60} h" if minutes >= 60 else "",
                                  f"{minutes % 60} min" if minutes % 60 or not minutes else ""]))


class Course:
    """The pages of a book by their names, in the order of its contents."""

    def __init__(self, notebooks, order):
        place = {name: i for i, name in enumerate(order)}
        named = {path.removeprefix("chapters/").removesuffix(".ipynb"): book for path, book in notebooks.items()}
        self.pages = dict(sorted(named.items(), key=lambda item: (place.get(item[0], len(place)), item[0])))
        self.lessons = {name: book for name, book in self.pages.items() if not pages.is_exercises(book)}
        self.sheets = {name: book for name, book in self.pages.items() if pages.is_exercises(book)}
        self.exercises = [(name, one) for name, book in self.sheets.items() for one in pages.exercises(book)]

    def link(self, name):
        return f"[{escape(title(self.pages[name]))}](../chapters/{name}.ipynb)"

    def made_lessons(self, _):
        return table(["lesson", "minutes"], [(self.link(name), pages.minutes(book))
                                             for name, book in self.lessons.items()])

    def made_exercises(self, _):
        rows = [(self.link(name), f"{one.number}. {escape(one.title)}", one.points, one.minutes,
                 one.row.get("difficulty", ""), one.row.get("hardware", ""),
                 self.link(one.lesson[0]) if one.lesson[0] in self.pages else "") for name, one in self.exercises]
        return table(["page", "exercise", "points", "minutes", "difficulty", "hardware", "lesson"], rows)

    def made_objectives(self, _):
        served = {}
        for name, one in self.exercises:
            lesson, _, said = one.lesson
            said = closest(said, objectives(self.lessons[lesson])) if lesson in self.lessons else ""
            served.setdefault((lesson, said), []).append(f"[{name} {one.number}](../chapters/{name}.ipynb)")
        rows = []
        for name, book in self.lessons.items():
            for place, said in enumerate(objectives(book)):
                rows.append((self.link(name) if not place else "", escape(said),
                             ", ".join(served.get((name, said), [])) or "–"))
        return table(["lesson", "who has finished it can", "exercises"], rows)

    def made_rubrics(self, which):
        if which != "instructor":
            return PRIVATE
        parts = []
        for name, one in self.exercises:
            for cell in one.graded:
                if cell.cell_type == "markdown":
                    text = re.sub(r"(?m)^[^\n]*(BEGIN|END) SOLUTION[^\n]*\n?", "", cell.source).strip()
                    text = re.sub(r"\]\((?=[\w-]+\.ipynb)", "](../chapters/", text)  # it stood among the lessons
                    parts.append(f"### {name}, exercise {one.number}: {one.title}\n\n{text}")
        return "\n\n".join(parts) or "No page has a thought exercise yet."

    def made_timings(self, which):
        if which != "instructor":
            return PRIVATE
        rows = [(self.link(name), pages.minutes(book), len(pages.exercises(book)) or "",
                 sum(one.points for one in pages.exercises(book)) or "") for name, book in self.pages.items()]
        sums = [sum(row[i] or 0 for row in rows) for i in (1, 2, 3)]
        return table(["page", "minutes", "exercises", "points"], [*rows, ("all", *sums)])

    def made_plan(self, text):
        rows, total = [], [0, 0]
        for line in filter(str.strip, text.splitlines()):
            week, _, names = line.partition(":")
            names = [name for name in names.split() if name in self.pages]
            kinds = [[name for name in names if (name in self.sheets) is sheet] for sheet in (False, True)]
            spent = [sum(pages.minutes(self.pages[name]) for name in kind) for kind in kinds]
            total = [a + b for a, b in zip(total, spent, strict=True)]
            rows.append((week.strip(), ", ".join(f"{self.link(name)} ({pages.minutes(self.pages[name])} min)"
                                                 for name in kinds[0]), hours(spent[0]),
                         ", ".join(f"{self.link(name)} ({pages.minutes(self.pages[name])} min)"
                                   for name in kinds[1]) or "–", hours(spent[1])))
        rows.append(("all", "", hours(total[0]), "", hours(total[1])))
        return table(["week", "lessons", "reading and running", "exercises", "answering"], rows)

    def fill(self, text, which):
        def made(found):
            maker = getattr(self, f"made_{found[1]}", None)
            if maker is None:
                raise ValueError(f"`<!-- made: {found[1]} -->`: no table has this name")
            return maker(found[2] if found[1] == "plan" else which)
        return MADE.sub(made, text)


def objectives(notebook):
    """The list under `What you will be able to do`."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = re.search(r"(?ms)^## What you will be able to do\s*$(.*?)(?=^## |\Z)", text)
    items = re.split(r"(?m)^[-*] ", found[1])[1:] if found else []
    return [" ".join(item.split()) for item in items]


def likeness(said, objective):
    """The share of the words said that the objective has; small words and plurals do not count."""
    said, whole = ({word.lower().rstrip("s") for word in re.findall(r"[\w'-]{3,}", text)} for text in (said, objective))
    return len(said & whole) / len(said) if said else 0.0


def closest(said, known):
    """The objective of a lesson that is meant by a shortened one; an empty text where none is like it."""
    best = max(known, key=lambda one: likeness(said, one), default="")
    return best if likeness(said, best) >= 0.5 else ""


def filled(files, notebooks, which):
    """The files with each made table of instructors/ in its place; those of guide/ are made by tools/guide.py."""
    marked = {name: text for name, content in files.items() if name.endswith(".md") and name.startswith("instructors/")
              and MADE.search(text := content.decode("utf-8"))}
    if not marked:
        return dict(files)
    order = re.findall(r"chapters/([\w-]+)", files.get("_toc.yml", b"").decode("utf-8"))
    course, result = Course(notebooks, order), dict(files)
    for name, text in marked.items():
        try:
            result[name] = course.fill(text, which).encode("utf-8")
        except ValueError as problem:
            raise ValueError(f"{name}: {problem}") from None
    return result
