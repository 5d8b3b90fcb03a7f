// A box that scrolls must be reachable by keyboard; one that does not scroll should not be a stop.
function markScrollers() {
  for (const box of document.querySelectorAll("article pre, article .scroll, article div.math")) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "scrolls sideways");
    } else {
      box.removeAttribute("tabindex");
      box.removeAttribute("role");
      box.removeAttribute("aria-label");
    }
  }
}
addEventListener("load", markScrollers);
addEventListener("resize", markScrollers);
addEventListener("toggle", markScrollers, true); // a hidden cell was opened
