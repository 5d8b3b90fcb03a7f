// A box that scrolls must be reachable by keyboard; one that does not scroll should not be a stop.
function markScrollers() {
  for (const box of document.querySelectorAll("article pre, article .scroll, article div.math")) {
    const marks = { tabindex: "0", role: "group", "aria-label": "scrolls sideways" };
    for (const [name, value] of Object.entries(marks)) {
      if (box.scrollWidth > box.clientWidth) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }
}
// At the start, when the window or a sidebar changes its width, and when a hidden cell is opened.
const article = document.querySelector("article");
if (article) new ResizeObserver(markScrollers).observe(article);
