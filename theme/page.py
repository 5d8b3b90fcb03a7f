"""The page hook: what the theme leaves undone on every page.

- A notebook page says which machine made its outputs, from the stamp in the notebook (`make outputs` writes it).
- Colab and the notebook's file are one button each, not menus.
- A script that few pages need is loaded on those only.
- Accessibility: names, landmarks and tables that a screen reader can follow.
- Wide things scroll in a box of their own, so that the page never scrolls sideways.
"""
import datetime
import html
import json

from bs4 import BeautifulSoup


def made_by(stamp) -> str:
    """One line about the machine behind a page's outputs. `stamp` is the notebook's metadata "d2l", as JSON."""
    stamp = json.loads(stamp) if stamp else {}
    if not stamp.get("machine"):
        return ""
    versions = {"python": stamp.get("python"), **stamp.get("packages", {})}
    names = {"python": "Python", "torch": "PyTorch", "mxnet": "MXNet", "numpy": "NumPy"}
    software = [f"{name} {versions[key]}" for key, name in names.items() if versions.get(key)]
    day = datetime.date.fromisoformat(stamp["date"])
    parts = [f"Outputs made on {stamp['machine']}", *software, f"{day.day} {day:%B %Y}"]
    # Non-breaking spaces keep a name with its version; the first part is long and may break.
    return " · ".join([parts[0], *(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts[1:])])


def page_context(app, pagename, templatename, context, doctree):
    context["made_by"] = made_by(app.env.metadata.get(pagename, {}).get("d2l"))
    labels = {"Colab": "Open this lesson in Colab, to run and change it", ".ipynb": "Download this notebook"}
    links = [link for group in context.get("header_buttons", []) for link in group.get("buttons", [])]
    context["header_buttons"] = [
        {**link, "tooltip": labels[link["text"]], "label": link["text"].strip(".").lower()}
        for link in links
        if link.get("text") in labels
    ]
    body = context.get("body", "")
    if '-explorer"' in body:  # a table that a script makes one to play with: loaded on this page only
        app.add_js_file("hardware.js", loading_method="defer")
    if '"roofline-explorer"' in body:
        app.add_js_file("roofline.js", loading_method="defer")


def mend(page: str, made_by: str = "") -> str:
    """The finished page with its faults mended."""
    soup = BeautifulSoup(page, "html.parser")
    new = soup.new_tag
    root = soup.html
    if root.get("data-theme") == "auto":
        root["data-theme"] = "light"  # what a reader without scripts gets

    # A second copy of the title and contents, for paper, would be a second <h1>.
    for copy in soup.select("#jb-print-docs-body"):
        copy.decompose()

    title = soup.select_one("article h1")
    if made_by and title:
        line = new("p", attrs={"class": "made-by"})
        line.string = made_by
        title.insert_after(line)

    # What a search engine or a shared link shows: the page's first paragraph.
    opening = soup.select_one("article section > p:not(.made-by)")
    if opening and soup.head and not soup.find("meta", attrs={"name": "description"}):
        words = " ".join(opening.get_text().split())
        text = words if len(words) <= 200 else words[:200].rsplit(" ", 1)[0] + " …"
        soup.head.append(new("meta", attrs={"name": "description", "content": text}))

    # The search page has two search fields, and both would be called search-input.
    for field in soup.select("#search-input")[:-1]:
        del field["id"]

    # Landmarks and names.
    for sidebar in soup.select("div.bd-sidebar-primary"):
        sidebar["role"], sidebar["aria-label"] = "complementary", "Course"
    for nav in soup.select("nav.page-toc"):
        nav["aria-label"] = "On this page"
    for button in soup.select("button[title]:not([aria-label]), a.btn[title]:not([aria-label])"):
        button["aria-label"] = button["title"]
    for checkbox in soup.select("input.sidebar-toggle, input.toctree-checkbox"):
        checkbox["aria-hidden"], checkbox["tabindex"] = "true", "-1"
    for icon in soup.select("i[class*=fa-], span[class*=fa-]"):
        icon["aria-hidden"] = "true"
    for logo in soup.select(".btn img"):
        logo["alt"] = ""  # the word beside it says the same
    for summary in soup.select("summary[aria-label]"):
        del summary["aria-label"]  # it hid the words that are there
    for toggle in soup.select("summary:has(> .toctree-toggle)"):
        toggle["aria-label"] = "Pages below this one"
    for link in soup.select("a[target=_blank]"):
        link["rel"] = "noopener"

    # Tables: a heading cell with nothing in it is a plain cell, and each table scrolls in its box.
    for heading in soup.select("article th"):
        if not heading.get_text(strip=True):
            heading.name = "td"
            heading.attrs.pop("scope", None)
    for table in soup.select("article table"):
        table.attrs.pop("border", None)
        if "scroll" not in (table.parent.get("class") or []):
            table.wrap(new("div", attrs={"class": "scroll"}))
    return str(soup)


def mend_every_page(app):
    """Every page passes through the template engine whole: the one place to see all of it."""
    if app.builder.format != "html":
        return
    render = app.builder.templates.render

    def render_and_mend(template, context):
        page = render(template, context)
        # The theme also renders parts of pages, to see which are empty.
        return mend(page, context.get("made_by", "")) if "<html" in page else page

    app.builder.templates.render = render_and_mend


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
    app.connect("builder-inited", mend_every_page)
    app.connect("html-page-context", page_context, priority=900)
    app.add_config_value("comments_config", {}, "html")  # Jupyter Book sets it, and nothing here reads it
    app.add_js_file("course.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
