// SPDX-License-Identifier: Apache-2.0
// Elements and figures. All text of a report enters the page as text, never as markup.

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null && child !== "" && child !== false) node.append(child);
  }
  return node;
}
const el = (name, attributes, ...children) => build(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

// A field, or what stands in for it: reports of other versions have other fields.
const number = (object, key) => (object && Number.isFinite(object[key]) ? object[key] : 0);
const has = (object, key) => Boolean(object) && Number.isFinite(object[key]);
const text = (object, key) => (object && typeof object[key] === "string" ? object[key] : "");
const list = (object, key) => (object && Array.isArray(object[key]) ? object[key].filter((x) => x && typeof x === "object") : []);

function digits(value) {
  const size = Math.abs(value);
  const before = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1;
  return value.toFixed(Math.min(Math.max(3 - before, 0), 6));
}
const count = (value) => Math.round(value).toLocaleString("en-US");
function seconds(value) {
  if (!value) return "0 s";
  const size = Math.abs(value);
  if (size >= 0.9995) return digits(value) + " s";
  return size >= 0.0009995 ? digits(value * 1e3) + " ms" : digits(value * 1e6) + " µs";
}
function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < 5) value /= 1000, ++unit;
  return (unit ? digits(value) : count(value)) + " " + units[unit];
}
const rate = (value) => bytes(value) + "/s";
const per_second = (value) => (Math.abs(value) < 999.5 ? digits(value) : count(value)) + "/s";
const plain = (value) => (Number.isInteger(value) ? count(value) : digits(value));
const words = (value, noun) => count(value) + " " + noun + (value === 1 ? "" : "s");
const base_name = (path) => path.slice(path.lastIndexOf("/") + 1);

// A sentence, its options and variables kept in one piece.
const sentence = (said) => said.split(/(--[a-z][a-z-]*(?:=\w+)?|[A-Z]+_[A-Z_]+)/).map((part, i) => (i % 2 ? el("code", { class: "whole" }, part) : part));

// A cell that holds a figure: what is shown is rounded, data-value is what the report says.
const figure_cell = (value, say, key) => el("td", { class: "n", "data-value": value, "data-key": key }, say(value));

// columns: [title, class]; rows: of cells
function table(id, columns, rows) {
  const head = el("tr", {}, columns.map(([title, kind]) => el("th", { class: kind, scope: "col" }, title)));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": id.replace("-", " ") },
    el("table", { "data-table": id }, el("thead", {}, head), el("tbody", {}, rows)));
}
