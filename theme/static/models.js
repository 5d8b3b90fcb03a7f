// The course's models, to play with: a queue on two lanes, an overlap, an all-reduce, a model's memory over ranks.
// Each stands in a <div class="…-explorer"> with a plain table, which is what a reader without this script sees.
// The tools (make, labelled, sentence, furnish, words …) are those of hardware.js. Nothing is fetched.
"use strict";

// --- the models: pure functions, held against the course's Python by a test

/** n tasks, asked for in t1, computed in t2, heard of in t3: with a wait after each, and with one wait at the end. */
function queueTimes(n, t1, t2, t3) {
  return { each: n * (t1 + t2 + t3), once: n * Math.max(t1, t2) + Math.min(t1, t2) + t3 };
}

/** When each task is asked for and computed: [{ask: [from, to], compute: [from, to], wait: [from, to] or null}]. */
function queueLanes(n, t1, t2, t3, each) {
  const tasks = [];
  let front = 0, back = 0;
  for (let i = 1; i <= n; i++) {
    const asked = front + t1, start = Math.max(asked, back), done = start + t2;
    const waits = each || i === n;
    tasks.push({ ask: [front, asked], compute: [start, done], wait: waits ? [asked, done + t3] : null });
    front = waits ? done + t3 : asked;
    back = done;
  }
  return tasks;
}

const SLACK = 0.05; // as in d2l_helpers/overlap.py

/** Two parts, alone and together: bounds, efficiency, the share that is saved, and where the time lies. */
function overlapOf(first, second, together) {
  const ideal = Math.max(first, second), serial = first + second;
  const verdict = together < ideal * (1 - SLACK)
    ? "BELOW the bounds: the parts, timed alone, did more than they do together"
    : together > serial * (1 + SLACK) ? "above the bounds: one after the other would have been quicker"
      : "inside the bounds";
  return { ideal, serial, efficiency: ideal / together, saved: (serial - together) / (serial - ideal), verdict };
}

/** Seconds of an all-reduce of `size` bytes over n ranks, by way: α seconds a step, B bytes a second of a link. */
function allReduce(n, size, alpha, B) {
  const depth = Math.ceil(Math.log2(n) - 1e-12), time = (steps, bytes) => steps * alpha + bytes / B;
  const levels = Math.max(1, depth), whole = 2 * (n - 1);
  const pieces = Math.max(1, Math.round(Math.sqrt(((levels - 1) * size) / (2 * alpha * B))));
  const double = 4 * (pieces + levels - 1);
  return {
    star: time(whole, whole * size),
    tree: time(2 * depth, 2 * depth * size),
    ring: time(whole, (whole * size) / n),
    "double tree": time(double, (double * size) / (2 * pieces)),
    "in the network": time(2, size),
  };
}

const LAYOUTS = { "bfloat16 with float32 copies": [2, 2, 12], "float32 throughout": [4, 4, 8] };

/** Bytes that each of N ranks keeps of P parameters under Adam: DDP and ZeRO's three stages. Activations come on top. */
function memoryOf(P, N, [parameters, gradients, adam]) {
  return {
    DDP: P * (parameters + gradients + adam),
    "stage 1": P * (parameters + gradients + adam / N),
    "stage 2": P * (parameters + (gradients + adam) / N),
    "stage 3": (P * (parameters + gradients + adam)) / N,
  };
}

// --- controls

/** A slider: its label, its first value among `stops` (or a range), and how a value is said. */
function slider(label, stops, start, say) {
  const input = make("input", { type: "range", min: 0, max: stops.length - 1, step: 1, value: stops.indexOf(start) });
  const shown = make("output");
  const row = labelled(label, input, shown);
  shown.setAttribute("for", input.id);
  return {
    row, input, get value() { return stops[input.value]; },
    say() { shown.textContent = say(this.value); input.setAttribute("aria-valuetext", shown.textContent); },
  };
}

const count = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const powers = (from, to, steps = [1, 2, 5]) => count(from, to).flatMap((e) => steps.map((s) => s * 10 ** e));
const size = (bytes) => rate(bytes, "B");
const long = (time) => words(time, 3);

/** The box becomes an explorer: on each change `draw` gives a sentence and puts its picture into `picture`. */
function explore(box, title, controls, draw, extra = []) {
  const picture = make("div", { class: "model" });
  const [say, ...said] = sentence();
  const update = () => {
    controls.forEach((control) => control.say?.());
    say(draw(picture));
  };
  update();
  furnish(box, title, "Some values as a table", ...extra, ...controls.map((control) => control.row), ...said, picture);
  for (const control of controls) control.input.addEventListener("input", update);
  new ResizeObserver(update).observe(picture);
}

/** A choice as a control. */
function select(label, names) {
  const input = choice(names);
  return { row: labelled(label, input), input, get value() { return names[input.value]; } };
}

/** Bars with their names and times; the first of `rows` is the best. `mark` draws a line at a value. */
function bars(rows, say, most = Math.max(...rows.map(([, value]) => value)), log = false) {
  const low = log ? Math.log(Math.min(...rows.map(([, value]) => value)) / 2) : 0;
  const share = (value) => (log ? (Math.log(value) - low) / (Math.log(most) - low) : value / most);
  const items = rows.map(([name, value, note = ""]) => make("li", { class: note ? "chosen" : "" },
    make("span", {}, note ? `${name}, ${note}` : name), make("span", { class: "time" }, say(value)),
    make("i", { class: "bar", style: `width: ${Math.max(1, 100 * share(value)).toFixed(1)}%` })));
  return make("ul", { class: "bars" }, ...items);
}

// --- the queue

function exploreQueue(box) {
  const t1 = slider("t₁, to ask", count(1, 12), 2, (t) => `${t} units`);
  const t2 = slider("t₂, to compute", count(1, 12), 4, (t) => `${t} units`);
  const t3 = slider("t₃, to hear", count(0, 6), 1, (t) => `${t} units`);
  const n = slider("n, tasks", count(1, 8), 3, (t) => `${t}`);
  explore(box, "The time of a queue", [t1, t2, t3, n], (picture) => {
    const times = queueTimes(n.value, t1.value, t2.value, t3.value);
    const width = Math.max(260, picture.clientWidth || 640), scale = (width - 8) / times.each;
    const panels = [[true, `a wait after each: ${times.each}`], [false, `one wait: ${times.once}`]];
    const parts = [];
    panels.forEach(([each, words], p) => {
      const top = p * 84;
      parts.push(make("text", { x: 0, y: top + 13, class: "title" }, words));
      for (const task of queueLanes(n.value, t1.value, t2.value, t3.value, each)) {
        for (const [kind, lane] of [["ask", 0], ["wait", 0], ["compute", 1]]) {
          if (!task[kind] || task[kind][1] <= task[kind][0]) continue;
          const [from, to] = task[kind];
          const bar = make("rect", { x: 2 + from * scale, y: top + 22 + lane * 26, rx: 2, height: 22,
            width: Math.max(1, (to - from) * scale - 1), class: `lane ${kind}` });
          bar.append(make("title", {}, `${kind}: ${from} to ${to}`));
          parts.push(bar);
          if ((to - from) * scale > 46) {
            parts.push(make("text", { x: 6 + from * scale, y: top + 37 + lane * 26, class: "in" }, kind));
          }
        }
      }
    });
    picture.replaceChildren(make("svg", { width, height: 166, viewBox: `0 0 ${width} 166`, role: "img",
      "aria-label": `Lanes of front end and back end. With a wait after each task ${times.each} units, with one wait `
        + `${times.once} units.` }, ...parts));
    const binds = t2.value > t1.value ? "Computing is the longer: the back end never idles after its first task"
      : t2.value < t1.value ? "Asking is the longer: the back end runs dry, and a faster one would change nothing"
        : "Asking and computing take the same";
    return `A wait after each task takes ${times.each} units, one wait at the end ${times.once}: `
      + `${digits(times.each / times.once, 3)} times as fast. ${binds}.`;
  });
}

// --- the overlap

function exploreOverlap(box) {
  const first = slider("first, alone", count(1, 20), 10, (t) => `${t} ms`);
  const second = slider("second, alone", count(1, 20), 6, (t) => `${t} ms`);
  const both = slider("both together", count(1, 48), 12, (t) => `${t} ms`);
  explore(box, "Two pieces of work together", [first, second, both], (picture) => {
    const found = overlapOf(first.value, second.value, both.value);
    picture.replaceChildren(bars([["no time can be less: the longer of the two", found.ideal],
      ["together", both.value, found.verdict.split(":")[0]],
      ["no time need be more: one after the other", found.serial]], (t) => `${t} ms`,
    Math.max(found.serial, both.value)));
    return `Together ${both.value} ms, between ${found.ideal} and ${found.serial}: ${found.verdict}. Efficiency `
      + `${digits(found.efficiency, 2)}; saved is ${digits(100 * found.saved, 2)}\u00a0% of what can be saved.`;
  });
}

// --- the all-reduce

function exploreAllReduce(box) {
  const n = slider("machines", [2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384], 8, digitsOf);
  const bytes = slider("bytes", powers(2, 9), 1e6, size);
  const alpha = slider("α, a message's start", powers(-7, -3), 1e-4, long);
  const B = slider("B, of a link", powers(7, 11), 2e7, (b) => rate(b, "B/s"));
  explore(box, "The cost of an all-reduce", [n, bytes, alpha, B], (picture) => {
    const rows = Object.entries(allReduce(n.value, bytes.value, alpha.value, B.value));
    const sorted = [...rows].sort((a, b) => a[1] - b[1]);
    const own = sorted.filter(([name]) => name !== "in the network"), [best, next] = own;
    const tie = best[1] > next[1] * 0.999;
    picture.replaceChildren(bars(sorted.map(([name, time]) => [name, time, name === best[0] && !tie ? "wins" : ""]),
      long, undefined, true));
    const start = 2 * (n.value - 1) * alpha.value, share = start / (rows.find(([name]) => name === "ring")[1]);
    return `${tie ? `${best[0]} and ${next[0]} take the same` : `Without help from the switches, the ${best[0]} wins with ${long(best[1])}`}; `
      + `the slowest, the ${own.at(-1)[0]}, takes ${long(own.at(-1)[1])}. Of the ring's time `
      + `${digits(100 * share, 2)}\u00a0% are starts of messages.`;
  });
}
function digitsOf(n) { return n.toLocaleString("en-GB"); }

// --- the memory of a model

function exploreMemory(box) {
  const P = slider("parameters", powers(6, 11), 5e9, (p) => rate(p, "").trim());
  const N = slider("ranks", [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], 8, digitsOf);
  const room = slider("memory of a rank", [16, 24, 40, 80, 141, 192], 80, (g) => `${g} GB`);
  const kind = select("numbers", Object.keys(LAYOUTS));
  explore(box, "The memory of a model over ranks", [P, N, room, kind], (picture) => {
    const layout = LAYOUTS[kind.value], kept = Object.entries(memoryOf(P.value, N.value, layout));
    const limit = room.value * 1e9;
    picture.replaceChildren(bars(kept.map(([name, bytes]) => [name, bytes, bytes <= limit ? "fits" : ""]), size));
    const fits = kept.find(([, bytes]) => bytes <= limit);
    const all = P.value * layout.reduce((sum, b) => sum + b, 0), least = Math.ceil(all / limit);
    return `${fits ? `${fits[0]} fits into ${room.value} GB` : `Nothing fits into ${room.value} GB on ${N.value} ranks`}. `
      + `In all there are ${size(all)} to keep, so stage 3 needs ${digitsOf(least)} ${least === 1 ? "rank" : "ranks"} `
      + "or more, before any activation.";
  });
}

document.querySelectorAll(".queue-explorer").forEach(exploreQueue);
document.querySelectorAll(".overlap-explorer").forEach(exploreOverlap);
document.querySelectorAll(".allreduce-explorer").forEach(exploreAllReduce);
document.querySelectorAll(".memory-explorer").forEach(exploreMemory);
