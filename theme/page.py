"""What the theme leaves undone on every page.

- A notebook page says which machine made its outputs, and how quiet it was, from the stamp in the notebook.
- Colab and the notebook's file are one button each, not menus.
- A script that few pages need is loaded on those only.
- Accessibility: names, landmarks and tables that a screen reader can follow.
- Wide things scroll in a box of their own, so that the page never scrolls sideways.
"""
import datetime
import html
import json
import re
from collections import defaultdict
from pathlib import Path

import address
from bs4 import BeautifulSoup
from light import lighten
from printed import NO_BREAK, arrange

CALM = 0.4  # as in tools/quiet.py: above it, somebody outside this virtual machine shared our physical core
SOFTWARE = {"python": "Python", "torch": "PyTorch", "mxnet": "MXNet", "numpy": "NumPy"}


def made_by(stamp) -> str:
    """One line about the machine behind a page's outputs. `stamp` is the notebook's metadata "d2l", as JSON."""
    stamp = json.loads(stamp) if stamp else {}
    machine, quiet, versions = (stamp.get(key, {}) for key in ("machine", "quiet", "versions"))
    if not isinstance(machine, dict) or not machine:
        return ""
    cores, memory = machine.get("cores"), machine.get("memory GiB")
    about = [machine.get("cpu"), cores and f"{cores} core{'s' * (cores != 1)}", memory and f"{memory:g} GiB",
             machine.get("system"), machine.get("gpu")]
    parts = ["Outputs made on " + ", ".join(filter(None, about))]
    if "others" in quiet:  # stolen: by the machine that this virtual one runs on
        shared = ", and at times a stranger half of one" if quiet.get("spread", 0) > CALM else ""
        used = f"{quiet['others'] + quiet.get('stolen', 0):.1%}".replace("%", NO_BREAK + "%")
        parts.append(f"quiet: others used {used} of the cores{shared}")
    parts += (f"{name}{NO_BREAK}{versions[key]}" for key, name in SOFTWARE.items() if versions.get(key))
    if "date" in stamp:
        day = datetime.date.fromisoformat(stamp["date"])
        parts.append(f"{day.day} {day:%B %Y}".replace(" ", NO_BREAK))
    return " · ".join(parts)


EXPLORER = re.compile(r'class="[^"]*\b(latency|roofline|queue|overlap|allreduce|memory)-explorer\b')
PLACEHOLDER = "github.com/OWNER/"  # in _config.yml, until the course has an address
UPLOAD = """<div class="upload" id="colab-help" popover>
<p><strong>To run this lesson on Colab</strong></p>
<ol><li><a download href="{notebook}">Download the notebook</a>.</li>
<li>Open <a href="https://colab.research.google.com" rel="noopener">Colab</a>, choose <em>File</em>, <em>Upload
notebook</em>, and give it that file.</li></ol></div>"""


def published(url: str) -> str:
    """Colab opens the notebooks of the branch `colab`: complete in one file, exercises without their solutions."""
    return re.sub(r"/blob/[^/]+/chapters/", "/blob/colab/", url)


def page_context(app, pagename, templatename, context, doctree):
    # A name begins with the words that are seen: who speaks to the computer says these.
    labels = {"Colab": "Colab: open this lesson there, to run and change it",
              ".ipynb": ".ipynb: download this notebook"}
    links = [link for group in context.get("header_buttons", []) for link in group.get("buttons", [])]
    context["header_buttons"] = [
        {**link, "tooltip": labels[link["text"]], "label": link["text"].strip(".").lower(),
         "url": published(link["url"])}
        for link in links
        if link.get("text") in labels
    ]
    body = context.get("body", "")
    kinds = set(EXPLORER.findall(body))  # a table that a script makes one to play with: loaded on this page only
    if kinds:
        app.add_js_file("hardware.js", loading_method="defer")
    if "roofline" in kinds:
        app.add_js_file("roofline.js", loading_method="defer")
    if kinds - {"roofline", "latency"}:
        app.add_js_file("models.js", loading_method="defer")


def colab(soup):
    """Where the course has no address yet, the button says how to upload the notebook, and leads nowhere else."""
    link, notebook = soup.select_one("a.btn-colab"), soup.select_one("a.btn-ipynb")
    if link and notebook and PLACEHOLDER in link["href"].replace("colab.research.google.com/github/", "github.com/"):
        link.name = "button"
        link.attrs = {"class": link["class"], "type": "button", "popovertarget": "colab-help",
                      "aria-label": "Colab: how to run this lesson there"}
        link.insert_after(BeautifulSoup(UPLOAD.format(notebook=notebook["href"]), "html.parser"))


def mend(page: str, made_by: str = "", status: str = "") -> BeautifulSoup:
    """The finished page with its faults mended. `status`: where the line about the machine leads to."""
    soup = BeautifulSoup(page, "html.parser")
    new = soup.new_tag
    if copy := soup.find(id="jb-print-docs-body"):  # the title and contents again, for paper: a second <h1>
        copy.decompose()
    if soup.html["data-theme"] == "auto":
        soup.html["data-theme"] = "light"  # what a reader without scripts gets

    arrange(soup)  # before the walk: it makes tables

    tags = defaultdict(list)  # one walk over the page: a search for each of the things below would take minutes
    for tag in soup.find_all(True):
        tags[tag.name].append(tag)

    def having(name: str, *classes: str) -> list:
        return [tag for tag in tags[name] if set(classes) & set(tag.get("class") or [])]

    title = soup.find("h1")
    opening = title and title.parent.find("p", recursive=False)
    if made_by and title:
        line = new("p", attrs={"class": "made-by"})
        line.string = made_by
        if status:
            line.append(" · ")
            line.append(new("a", href=status))
            line.a.string = "status"
        title.insert_after(line)

    # What a search engine or a shared link shows: the page's first paragraph.
    if opening:
        words = " ".join(opening.get_text().split())
        text = words if len(words) <= 200 else words[:200].rsplit(" ", 1)[0] + " …"
        soup.head.append(new("meta", attrs={"name": "description", "content": text}))

    # The search page has two search fields, and both would be called search-input.
    for field in [field for field in tags["input"] if field.get("id") == "search-input"][:-1]:
        del field["id"]

    # A folded cell says what is in it.
    for cell in having("div", "tag_goals"):
        for prompt, verb in zip(cell.select("summary > p"), ("Show", "Hide"), strict=False):
            prompt.string = f"{verb} what the authors want of this page"
    for cell in having("div", "cell"):
        if file := re.match(r"%%writefile (\S+)", cell.pre.get_text() if cell.pre else ""):
            for prompt, verb in zip(cell.select("summary > p"), ("Show", "Hide"), strict=False):
                prompt.string = f"{verb} {file[1]}"
            for output in cell.select(".cell_output"):  # that the file was written, the reader knows
                if re.fullmatch(r"(Over)?[Ww]riting \S+", output.get_text().strip()):
                    output.extract()

    colab(soup)

    # Landmarks and names.
    for sidebar in having("div", "bd-sidebar-primary"):
        sidebar["role"], sidebar["aria-label"] = "complementary", "Course"
    for nav in having("nav", "page-toc"):
        nav["aria-label"] = "On this page"
    for button in tags["button"] + having("a", "btn"):
        if "title" in button.attrs and "aria-label" not in button.attrs:
            button["aria-label"] = button["title"]
    for button in tags["button"] + tags["a"]:  # the browser shows a title by itself, and puts it nowhere else
        if button.attrs.pop("data-bs-toggle", "") == "tooltip":
            button.attrs.pop("data-bs-placement", None)
    for script in tags["script"]:  # they write the buttons of a page with scripts
        if 'data-bs-toggle="tooltip"' in (script.string or ""):
            script.string = script.string.replace(' data-bs-toggle="tooltip"', "")
        if "search-button-field" in (script.string or ""):  # its own words, with the keys, are its name
            script.string = script.string.replace(' aria-label="Search"', "").replace(' title="Search"', "")
    for checkbox in having("input", "sidebar-toggle", "toctree-checkbox"):
        checkbox["aria-hidden"], checkbox["tabindex"] = "true", "-1"
    for icon in tags["i"] + tags["span"]:
        if "fa-" in " ".join(icon.get("class") or []):
            icon["aria-hidden"] = "true"
    for logo in tags["img"]:
        if logo.find_parent(class_="btn"):
            logo["alt"] = ""  # the word beside it says the same
    for summary in tags["summary"]:
        summary.attrs.pop("aria-label", None)  # it hid the words that are there
        if summary.find(class_="toctree-toggle", recursive=False):
            summary["aria-label"] = "Pages below this one"
    for link in tags["a"]:
        if link.get("target") == "_blank":
            link["rel"] = "noopener"

    # Tables: a heading cell with nothing in it is a plain cell, and each table scrolls in its box.
    for heading in tags["th"]:
        if not heading.get_text(strip=True):
            heading.name = "td"
            heading.attrs.pop("scope", None)
    for table in tags["table"]:
        table.attrs.pop("border", None)
        if "scroll" not in (table.parent.get("class") or []):
            table.wrap(new("div", attrs={"class": "scroll"}))
    return soup


def mend_pages(app, error):
    """When all pages are written: each whole, with what the theme's templates put around its text."""
    if app.builder.format != "html" or error:
        return
    folder, pages = Path(app.outdir), {}
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if not name.startswith("_static/"):
            stamp = app.env.metadata.get(name, {}).get("d2l")
            line = f"../guide/status.html#{path.stem}" if (folder / "guide/status.html").is_file() and stamp else ""
            pages[path] = mend(path.read_text(encoding="utf8"), made_by(stamp), line)
    base, site = (app.config.html_baseurl or "").rstrip("/"), app.config.project or app.config.html_title
    base = base and base + "/"
    names = {path: path.relative_to(folder).as_posix() for path in pages}
    for path, soup in pages.items():
        address.shared(soup, names[path], base, site)
    titles = {names[path]: soup.h1.get_text().rstrip("#") for path, soup in pages.items() if soup.h1}
    address.write(folder, [name for name in titles if name not in ("404.html", "search.html")], titles, base,
                  Path(app.srcdir))
    lighten(folder, pages)


def settings(app, config):
    """What cannot stand in _config.yml, where it would replace Jupyter Book's own settings instead of joining them."""
    config.html_theme_options |= {
        "show_navbar_depth": 2,  # pages below a lesson are seen
        "use_fullscreen_button": False,
        "search_bar_text": "Search",
        "footer_content_items": "copyright.html",
    }
    # The 404 page is served at any address: its links carry the folder that the site lives in.
    home = html.escape(config.notfound_urls_prefix or "/")
    config.notfound_context = {
        "title": "Page not found",
        "body": "<h1>Page not found</h1><p>There is no page at this address. It may have moved, "
        "or the address may be mistyped.</p>"
        f'<p>Go to the <a href="{home}index.html">start of the course</a>, '
        f'or <a href="{home}search.html">search it</a>.</p>',
    }


def setup(app):
    app.connect("config-inited", settings)
    app.connect("html-page-context", page_context, priority=900)
    app.connect("build-finished", mend_pages, priority=900)  # after the theme has written its style of code
    app.add_config_value("comments_config", {}, "html")  # Jupyter Book sets it, and nothing here reads it
    app.add_js_file("course.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
