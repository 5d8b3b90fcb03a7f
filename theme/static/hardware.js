// Tables to play with. Each stands in a <div class="…-explorer">; without this script it is a plain table, and one
// that lacks a column stays so. Columns are found by their headings, in any order. Nothing is fetched.
// Here are the tools and the latencies on a human scale; roofline.js, loaded after this, has the rooflines.
"use strict";

const SECONDS = { ns: 1e-9, "µs": 1e-6, "μs": 1e-6, us: 1e-6, ms: 1e-3, s: 1 };
const PREFIX = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
const LENGTHS = [
  [1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "seconds"], [60, "minutes"], [3600, "hours"], [86400, "days"],
  [2629800, "months"], [31557600, "years"],
];

// --- small tools

/** An element: make("p", {class: "x"}, "text", child). */
function make(tag, attributes = {}, ...children) {
  const svg = /^(svg|path|line|rect|circle|text|title)$/.test(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The rows of the first table in the box that has these columns: each maps a heading, in small letters and
 *  without what stands in brackets, to the cell's text. No such table: no rows. */
function rowsWith(box, ...columns) {
  for (const table of box.querySelectorAll("table")) {
    const [names, ...lines] = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    const keys = (names ?? []).map((name) => name.toLowerCase().replace(/\s*[([].*$/, ""));
    if (columns.every((column) => keys.includes(column))) {
      return lines.map((cells) => Object.fromEntries(keys.map((key, i) => [key, cells[i] ?? ""])));
    }
  }
  return [];
}

const number = (text) => parseFloat((text ?? "").replace(/,/g, "")); // NaN where there is none

/** "1.3", or "1.3 ns" with a unit of its own, in seconds; NaN where there is no number. */
const seconds = (text, unit) => number(text) * (SECONDS[/[a-zµμ]+$/.exec(text ?? "")?.[0]] ?? SECONDS[unit]);

const digits = (x, n) => Number(x.toPrecision(n)).toLocaleString("en-GB", { maximumFractionDigits: 12 });
const one = (name) => `1 ${name.replace(/([a-z]{3})s$/, "$1")}`; // "1 minute", "1 ns"

/** A time as one says it, in n digits: 90 is "1.5 minutes". */
function words(time, n = 2) {
  const fits = ([size], i) => Number((time / size).toPrecision(n)) * size < (LENGTHS[i + 1]?.[0] ?? Infinity) * 0.999;
  const i = LENGTHS.findIndex(fits), [size, name] = LENGTHS[i];
  const text = digits(i ? Math.max(1, time / size) : time / size, n);
  return text === "1" ? one(name) : `${text} ${name}`;
}

function rate(value, unit) {
  const [prefix, size] = Object.entries(PREFIX).findLast(([, size]) => value >= size * 0.9995) ?? ["", 1];
  return `${digits(value / size, 3)}\u00a0${prefix}${unit}`; // not broken at its space
}

let labels = 0;

/** A control with its label. */
function labelled(text, control, ...more) {
  control.id = `explorer-${++labels}`;
  return make("p", { class: "control" }, make("label", { for: control.id }, text), control, ...more);
}

const choice = (names) => make("select", {}, ...names.map((name, i) => make("option", { value: i }, name)));

/** A sentence to see at once, and its copy for a screen reader, which hears it when the slider has come to rest. */
function sentence() {
  const seen = make("p", { class: "said", "aria-hidden": "true" }), heard = make("p", { role: "status" });
  let timer;
  const say = (text) => {
    seen.textContent = text;
    clearTimeout(timer);
    if (!heard.isConnected) heard.textContent = text; // at first: nothing is announced
    else if (text !== heard.textContent) timer = setTimeout(() => { heard.textContent = text; }, 600);
  };
  return [say, seen, heard];
}

/** The parts above, and the tables, which gave the numbers, in a box to open below (open on paper). */
function furnish(box, title, summary, ...parts) {
  const tables = make("details", {}, make("summary", {}, summary), ...box.childNodes);
  box.append(make("div", { class: "explorer", role: "group", "aria-label": title }, ...parts), tables);
  addEventListener("beforeprint", () => { tables.open = true; });
}

// --- latencies: if an L1 hit took a second …

const STOPS = [["real time", 0], ["1 millisecond", 1e-3], ["1 second", 1], ["1 minute", 60], ["1 hour", 3600],
  ["1 day", 86400]];

function exploreLatencies(box) {
  const rows = rowsWith(box, "name", "value", "unit").map((row) => ({
    name: row.name,
    time: seconds(row.value, row.unit),
    historic: /^historic/i.test(row.note),
    here: seconds(row.here ?? row["your machine"] ?? row["this machine"], row.unit),
  })).filter((row) => row.name && row.time > 0);
  if (!rows.length) return;
  const sorted = [...rows].sort((a, b) => a.time - b.time), today = sorted.filter((row) => !row.historic);
  const all = rows.flatMap((row) => [row.time, row.here]).filter((time) => time > 0);
  const low = Math.log(Math.min(...all)) - 1, high = Math.log(Math.max(...all)) + 0.2;
  const share = (time) => (Math.log(time) - low) / (high - low);
  const percent = (time) => `${(share(time) * 100).toFixed(2)}%`;

  const unit = choice(rows.map((row) => row.name)); // at first the table's first row
  const slider = make("input", { type: "range", min: 0, max: STOPS.length - 1, step: 1, value: 2 });
  const shown = make("output");
  const [say, ...said] = sentence();
  const axis = make("div", { class: "axis", "aria-hidden": "true" });
  const items = sorted.map((row) => {
    const bar = make("i", { class: "bar", style: `width: ${percent(row.time)}` });
    const item = make("li", {}, make("span", {}, row.name), make("span", { class: "time" }), bar);
    if (row.here > 0) {
      const dot = make("i", { class: "dot", style: `left: ${percent(row.here)}` });
      item.append(make("span", { class: "time here" }), dot);
    }
    return item;
  });
  const here = rows.some((row) => row.here > 0);
  const chart = make("div", { class: "chart" }, axis, make("ul", { class: here ? "bars measured" : "bars" }, ...items));
  const legend = make("p", { class: "legend" }, make("i", { class: "bar" }), "sourced", make("i", { class: "dot" }),
    "here, measured on this page");

  function update() {
    const chosen = rows[unit.value], [name, length] = STOPS[slider.value];
    const factor = length ? length / chosen.time : 1, scaled = (time) => words(time * factor, length ? 2 : 3);
    slider.setAttribute("aria-valuetext", name);
    shown.textContent = name;
    sorted.forEach((row, i) => {
      const [time, own] = items[i].querySelectorAll(".time");
      time.textContent = scaled(row.time);
      if (own) own.textContent = `here ${scaled(row.here)}`;
      items[i].classList.toggle("chosen", row === chosen);
    });
    const others = [...new Set([today[today.length >> 1], today.at(-1)])].filter((row) => row && row !== chosen);
    const rest = others.map((row, i) => `“${row.name}” ${length && !i ? "would take " : ""}${scaled(row.time)}`);
    const start = length ? `If “${chosen.name}” took ${name}`
      : `In real time, “${chosen.name}” takes ${scaled(chosen.time)}`;
    say(`${[start, rest.join(" and ")].filter(Boolean).join(", ")}.`);
    let last = -Infinity; // names on the scale, as many as have room
    axis.replaceChildren(...[...LENGTHS, [31557600e3, "1000 years"]].flatMap(([size, name]) => {
      const at = share(size / factor) * axis.clientWidth;
      if (at < 0 || at > axis.clientWidth - 60 || at < last + 70) return [];
      last = at;
      return make("span", { style: `left: ${percent(size / factor)}` }, /^\d/.test(name) ? name : one(name));
    }));
  }
  update();
  furnish(box, "Latencies on a human scale", "The whole table, with its sources", labelled("If this", unit),
    labelled("took this long", slider, shown), ...said, ...(here ? [legend] : []), chart);
  shown.setAttribute("for", slider.id);
  unit.addEventListener("change", update);
  slider.addEventListener("input", update);
  new ResizeObserver(update).observe(chart); // more room, more names on the scale
}

document.querySelectorAll(".latency-explorer").forEach(exploreLatencies);
