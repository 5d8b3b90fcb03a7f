// Rooflines to play with: what a machine attains at an arithmetic intensity, and which ceiling binds.
// The tools (make, rowsWith, labelled …) are those of hardware.js.
"use strict";

const [LEFT, RIGHT] = [-6, 12]; // intensities, as powers of two
const pen = make("canvas").getContext("2d"); // draws nothing: it knows how long a word is
pen.font = "12px system-ui, sans-serif";

/** The ceilings as machines: [{name, compute: [{name, value}, …], memory: […]}], the highest roof and the slowest
 *  memory first. A machine without one of each kind is left out. */
function machines(rows) {
  const found = new Map();
  for (const { machine, ceiling, value, unit } of rows) {
    const [, prefix, kind] = /^([kMGTP]?)(FLOP\/s|B\/s)$/.exec(unit) ?? [];
    const size = number(value) * PREFIX[prefix];
    if (!(size > 0)) continue;
    if (!found.has(machine)) found.set(machine, { name: machine, compute: [], memory: [] });
    found.get(machine)[kind === "B/s" ? "memory" : "compute"].push({ name: ceiling, value: size });
  }
  for (const machine of found.values()) {
    machine.compute.sort((a, b) => b.value - a.value);
    machine.memory.sort((a, b) => a.value - b.value);
  }
  return [...found.values()].filter((machine) => machine.compute.length && machine.memory.length);
}

/** What a machine attains at an intensity from one of its memories, and whether the memory is what binds. */
function attainable(machine, memory, intensity) {
  const [peak] = machine.compute, bound = memory.value * intensity < peak.value;
  const speed = bound ? memory.value * intensity : peak.value;
  return { speed, bound, share: `${digits((100 * speed) / peak.value, 2)}\u00a0%` };
}

/** Where the axes end: a wide drawing has a margin on the right for the machines' names, a narrow one has none. */
function edgeOf(all, width) {
  return width - (width > 480 ? 26 + Math.max(...all.map(({ name }) => pen.measureText(name).width)) : 20);
}

/** How many doublings lie between a point and an intensity. */
const doublings = (point, intensity) => Math.abs(Math.log2(point.x / intensity));

/** The drawing: axes, the others' roofs, the chosen machine's roofs, points, and the intensity of the slider. The
 *  points of the chosen machine within a doubling of the slider are named, and others by a pointer that rests there. */
function drawRooflines(all, points, machine, intensity, width) {
  const height = Math.round(Math.min(440, 220 + width * 0.28)), edge = edgeOf(all, width), floor = height - 40;
  const speeds = all.flatMap((each) => [each.compute[0].value, each.memory[0].value * 2 ** LEFT]);
  const range = [...speeds, ...points.map((point) => point.y)].map(Math.log10);
  const bottom = Math.min(...range) - 0.1, top = Math.max(...range) + 0.4;
  const x = (flops) => 50 + ((Math.log2(flops) - LEFT) / (RIGHT - LEFT)) * (edge - 50);
  const y = (speed) => floor - ((Math.log10(speed) - bottom) / (top - bottom)) * (floor - 16);
  const text = (x, y, words, kind = "", anchor = "start") =>
    make("text", { x, y, class: kind, "text-anchor": anchor }, words);
  const line = (x1, y1, x2, y2, kind) => make("line", { x1, y1, x2, y2, class: kind });
  const roof = (peak, memory, kind, name = "") => {
    const ridge = Math.min(Math.max(peak / memory, 2 ** LEFT), 2 ** RIGHT);
    const corners = [2 ** LEFT, ridge, 2 ** RIGHT].map((at) => `${x(at)} ${y(Math.min(peak, memory * at))}`);
    return make("path", { d: `M${corners.join("L")}`, class: kind }, ...(name ? [make("title", {}, name)] : []));
  };
  // Words go to the first place of some where they cover no dot and no other word, and if that can be no chosen roof
  // and no line of the slider either. Far from their dot they are tied to it. Without a place, they are left out.
  const about = (at, up, by) => [at - by, up - by, at + by, up + by];
  const taken = points.map((point) => about(x(point.x), y(point.y), 4));
  const on = (memory, flops, by) => about(x(flops), y(attainable(machine, memory, flops).speed), by);
  taken.push(...machine.memory.map((memory) => on(memory, intensity, 5)));
  const steps = Array.from({ length: 8 * (RIGHT - LEFT) + 1 }, (_, i) => 2 ** (LEFT + i / 8));
  const roofs = machine.memory.flatMap((memory) => steps.map((flops) => on(memory, flops, 1)));
  roofs.push([x(intensity) - 2, 16, x(intensity) + 2, floor]);
  const place = (words, kind, places) => {
    const long = pen.measureText(words).width;
    for (const covered of [[...taken, ...roofs], taken]) {
      for (const [at, up, dot] of places(long)) {
        const [x1, y1, x2, y2] = [at - 2, up - 9, at + long + 2, up + 3];
        if (x1 < 48 || x2 > edge + 4 || y1 < 12 || y2 > floor) continue;
        if (covered.some((box) => x1 < box[2] && x2 > box[0] && y1 < box[3] && y2 > box[1])) continue;
        taken.push([x1, y1, x2, y2]);
        const back = make("rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1 }), label = text(at, up, words, kind);
        if (!dot) return [back, label];
        const near = [Math.min(Math.max(dot[0], at), at + long), dot[1] < up ? y1 + 1 : y2 - 1];
        return [make("path", { d: `M${dot.join(" ")}L${near.join(" ")}`, class: "tie" }), back, label];
      }
    }
    return [];
  };
  const along = (speed, memory) => (long) => [1, 2, 3].map((i) => [edge - i * long - (i - 1) * 24, y(speed) - 5])
    .filter(([at]) => at > x(speed / memory.value)); // right of the ridge, where the roof is flat
  const around = (at, up) => (long) => [[7, 12], [7, -5], [-7 - long, -5], [-7 - long, 12], [7, 4], [-7 - long, 4],
    [-long / 2, 17], [-long / 2, -9], ...[30, -24, 45, -39].flatMap((down) => [[9, down], [-9 - long, down]])]
    .map(([right, down]) => [at + right, up + down, Math.abs(down) > 20 && [at, up]]);

  const grid = [], lines = [], names = [];
  for (let power = LEFT; power <= RIGHT; power += 3) {
    const at = x(2 ** power);
    grid.push(line(at, 16, at, floor, "grid"));
    grid.push(text(at, height - 24, power < 0 ? `1/${2 ** -power}` : `${2 ** power}`, "", "middle"));
  }
  for (let power = Math.ceil(bottom); power <= top; power += width < 480 ? 2 : 1) {
    grid.push(line(50, y(10 ** power), edge, y(10 ** power), "grid"));
    grid.push(text(44, y(10 ** power) + 4, rate(10 ** power, ""), "", "end"));
  }
  grid.push(text(edge, height - 6, "FLOP/byte", "title", "end"), text(4, 10, "FLOP/s", "title"));
  for (const { name, value } of machine.compute) {
    names.push(...place(name, "ceiling", along(value, machine.memory.at(-1))));
  }
  for (const point of points.filter((point) => point.machine === machine.name && doublings(point, intensity) <= 1)) {
    names.push(...place(point.name, "point", around(x(point.x), y(point.y))));
  }
  for (const other of all.filter((each) => each !== machine)) {
    lines.push(roof(other.compute[0].value, other.memory[0].value, "roof", other.name));
  }
  if (width > 480) { // the machines' names in the margin, one above the other, each tied to its roof
    const marks = all.map((each) => ({ each, at: y(each.compute[0].value) })).sort((a, b) => b.at - a.at);
    marks.forEach((mark, i) => { mark.up = Math.min(mark.at, i ? marks[i - 1].up - 15 : Infinity); }); // apart, upwards
    let above = -3; // and down again from the top
    for (const mark of marks.toReversed()) above = mark.up = Math.max(mark.up, above + 15);
    for (const { each, at, up } of marks) {
      const kind = each === machine ? "mine" : "";
      lines.push(make("path", { d: `M${edge} ${at}L${edge + 18} ${up}`, class: "tie" }));
      names.push(text(edge + 22, up + 4, each.name, kind));
    }
  }
  for (const { value } of machine.compute.slice(1)) {
    lines.push(line(x(Math.min(value / machine.memory[0].value, 2 ** RIGHT)), y(value), edge, y(value), "lower"));
  }
  for (const memory of machine.memory) lines.push(roof(machine.compute[0].value, memory.value, "roof chosen"));
  lines.push(line(x(intensity), 16, x(intensity), floor, "now"));
  for (const point of points) {
    const kind = point.machine === machine.name ? "point chosen" : "point";
    const title = make("title", {}, `${point.name} on ${point.machine}: ${rate(point.y, "FLOP/s")}`);
    lines.push(make("circle", { cx: x(point.x), cy: y(point.y), r: 3.5, class: kind }, title));
  }
  for (const memory of machine.memory) {
    const cy = y(attainable(machine, memory, intensity).speed);
    lines.push(make("circle", { cx: x(intensity), cy, r: 4.5, class: "now" }));
  }
  return make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Rooflines: attainable FLOP/s over FLOP/byte, on log scales, with ${machine.name} in front. `
      + "The table below has the numbers." }, ...grid, ...lines, ...names);
}

function exploreRooflines(box) {
  const all = machines(rowsWith(box, "machine", "ceiling", "value", "unit"));
  if (!all.length) return;
  const points = rowsWith(box, "point", "machine", "intensity", "measured").map((row) => ({
    name: row.point, machine: row.machine, x: number(row.intensity), y: number(row.measured) * 1e9,
    predicted: number(row.predicted) * 1e9,
  })).filter((point) => point.x > 0 && point.y > 0);

  const chosen = choice(all.map((machine) => machine.name)); // at first the table's first machine
  const slider = make("input", { type: "range", min: LEFT, max: RIGHT, step: 0.25, value: 0 });
  const shown = make("output");
  const [say, ...said] = sentence();
  const picture = make("div", { class: "picture" }), body = make("tbody");
  const headings = ["machine", "data from", "at most", "of its peak"].map((name) => make("th", { scope: "col" }, name));
  const legend = make("p", { class: "legend" }, make("i", { class: "dot" }), "attainable at this intensity",
    make("i", { class: "dot point" }), "measured");
  const results = make("table", {}, make("thead", {}, make("tr", {}, ...headings)), body);
  const folded = make("details", {}, make("summary", {}, "Every machine at this intensity"),
    make("div", { class: "scroll" }, results));

  function update() {
    const machine = all[chosen.value], intensity = 2 ** slider.value;
    shown.textContent = `${digits(intensity, 4)} FLOP/byte`;
    slider.setAttribute("aria-valuetext", shown.textContent);
    const limits = machine.memory.map((memory) => {
      const { speed, bound, share } = attainable(machine, memory, intensity);
      const why = bound ? `memory-bound, ${share} of its peak` : `compute-bound: ${machine.compute[0].name}`;
      return `${rate(speed, "FLOP/s")} from ${memory.name} (${why})`;
    });
    const far = (point) => doublings(point, intensity);
    const near = points.filter((point) => point.machine === machine.name && far(point) < 0.5)
      .sort((a, b) => far(a) - far(b)).slice(0, 2).map(({ name, y, predicted }) => `“${name}”, measured ${
        rate(y, "FLOP/s")}${predicted > 0 ? ` of ${rate(predicted, "FLOP/s")} predicted` : ""}`);
    say(`At ${shown.textContent}, ${machine.name} attains at most ${limits.join("; ")}.`
      + (near.length ? ` Near there: ${near.join("; ")}.` : ""));
    body.replaceChildren(...all.flatMap((each) => each.memory.map((memory) => {
      const { speed, share } = attainable(each, memory, intensity);
      const cells = [each.name, memory.name, rate(speed, "FLOP/s"), share].map((cell) => make("td", {}, cell));
      return make("tr", each === machine ? { class: "chosen" } : {}, ...cells);
    })));
    picture.replaceChildren(drawRooflines(all, points, machine, intensity, Math.max(280, picture.clientWidth)));
  }

  /** A pointer on the drawing moves the slider to the place that it points at. */
  function point(event) {
    if (event.type === "pointerdown") picture.setPointerCapture(event.pointerId);
    if (!event.buttons) return;
    const { left, width } = picture.getBoundingClientRect();
    slider.value = LEFT + ((event.clientX - left - 50) / (edgeOf(all, width) - 50)) * (RIGHT - LEFT);
    update();
  }
  update();
  furnish(box, "Rooflines", "The tables with these numbers", labelled("Arithmetic intensity", slider, shown),
    labelled("Machine", chosen), ...(points.length ? [legend] : []), picture, ...said, folded);
  addEventListener("beforeprint", () => { folded.open = true; });
  shown.setAttribute("for", slider.id);
  slider.addEventListener("input", update);
  chosen.addEventListener("change", update);
  picture.addEventListener("pointerdown", point);
  picture.addEventListener("pointermove", point);
  new ResizeObserver(update).observe(picture); // drawn anew at each width, so that its letters keep their size
}

document.querySelectorAll(".roofline-explorer").forEach(exploreRooflines);
