// SPDX-License-Identifier: Apache-2.0
// Where the time went: by region, and by call site.

const times = [
  { key: "computing_s", name: "computing", colour: "blue" },
  { key: "suspended_s", name: "suspended", colour: "teal" },
  { key: "parked_s", name: "parked", colour: "orange" },
  { key: "waiting_for_core_s", name: "waiting for a core", colour: "plum" },
];
const time_of = (region) => times.reduce((sum, time) => sum + number(region, time.key), 0);
const time_legend = () => el("p", { class: "legend" }, times.map((time) =>
  el("span", {}, el("i", { class: `swatch ${time.colour}` }), time.name)));

function time_bar(region, longest) {
  const all = time_of(region);
  const parts = times.filter((time) => number(region, time.key) > 0);
  return el("div", { class: "bar", style: `width:${(100 * all / longest).toFixed(2)}%`, role: "img",
    "aria-label": parts.map((time) => `${time.name} ${seconds(region[time.key])}`).join(", ") },
  parts.map((time) => el("i", { class: time.colour, style: `flex:${(region[time.key] / all).toFixed(5)}`,
    title: `${time.name}: ${seconds(region[time.key])}` })));
}

const region_name = (region) => text(region, "name") || "outside of any region";
const by_time = (a, b) => time_of(b) - time_of(a);

function region_table(process) {
  const regions = list(process, "regions").sort(by_time);
  if (!regions.length) return null;
  const longest = Math.max(...regions.map(time_of)) || 1;
  const rows = regions.map((region) => el("tr", {},
    el("td", { class: "place" }, region_name(region), text(region, "kind") && el("small", {}, text(region, "kind"))),
    el("td", { class: "bars" }, time_bar(region, longest)),
    times.map((time) => figure_cell(number(region, time.key), seconds, time.key)),
    figure_cell(number(region, "calls"), count, "calls"), figure_cell(number(region, "bytes"), bytes, "bytes")));
  return el("div", {}, time_legend(), table("regions", [["region"], ["time of all its threads and tasks"],
    ...times.map((time) => [time.name, "n"]), ["calls", "n"], ["bytes", "n"]], rows));
}

// Buckets are powers of two of microseconds: the first holds what took less than two.
const bucket_name = (i) => (i ? `${seconds(2 ** i / 1e6)} to ${seconds(2 ** (i + 1) / 1e6)}` : `less than ${seconds(2e-6)}`);

function histogram(buckets) {
  const filled = buckets.map((n, i) => (n > 0 ? i : -1)).filter((i) => i >= 0);
  if (!filled.length) return "";
  const first = filled[0], last = Math.max(filled[filled.length - 1], first + 3), most = Math.max(...buckets);
  const width = 132, tall = 26, each = width / (last - first + 1);
  const picture = svg("svg", { class: "histogram", width, height: tall + 15, viewBox: `0 0 ${width} ${tall + 15}`, role: "img",
    "aria-label": "how long calls took", "data-sum": buckets.reduce((sum, n) => sum + n, 0) });
  for (let i = first; i <= last; ++i) {
    const high = buckets[i] > 0 ? Math.max(2, tall * buckets[i] / most) : 0;
    if (!high) continue;
    picture.append(svg("rect", { x: (i - first) * each + 0.5, y: tall - high, width: Math.max(each - 1.5, 1), height: high },
      svg("title", {}, `${bucket_name(i)}: ${words(buckets[i], "call")}`)));
  }
  picture.append(svg("path", { d: `M0 ${tall + 0.5}H${width}` }),
    svg("text", { x: 0, y: tall + 12 }, seconds((first ? 2 ** first : 0) / 1e6)),
    svg("text", { x: width, y: tall + 12, "text-anchor": "end" }, seconds(2 ** (last + 1) / 1e6)));
  return picture;
}

const address = (site) => {
  const offset = site.offset;
  const hex = Number.isFinite(offset) ? "0x" + offset.toString(16) : text(site, "offset");
  return text(site, "object") ? base_name(text(site, "object")) + (hex ? "+" + hex : "") : "";
};
const function_of = (site) => text(site, "function") || text(site, "symbol");
const line_of = (site) => (text(site, "file") ? `${base_name(text(site, "file"))}:${number(site, "line")}` : "");
// Names that compilers make are no help to anybody whole.
const shortened = (name) => (name.length > 90 ? name.slice(0, 86) + " ..." : name);

function place_cell(site) {
  const name = function_of(site), line = line_of(site), where = address(site);
  return el("td", { class: "place", title: [name, text(site, "file"), text(site, "object")].filter(Boolean).join("\n") },
    el("span", { class: "code" }, line || shortened(name) || where || "unknown"),
    line && name && el("small", {}, shortened(name)), (line || name) && el("small", {}, where));
}

function lane_cell(site) {
  const reason = text(site, "reason");
  return el("td", { class: "why" }, text(site, "lane") || "-", reason && reason !== "none" && el("small", {}, reason));
}

function site_table(process) {
  const sites = list(process, "call_sites"), others = process.other_sites || {};
  if (!sites.length) return null;
  const rows = sites.map((site) => el("tr", {}, place_cell(site), el("td", {}, text(site, "call")), lane_cell(site),
    figure_cell(number(site, "count"), count, "count"), figure_cell(number(site, "bytes"), bytes, "bytes"),
    figure_cell(number(site, "waited_s"), seconds, "waited_s"), figure_cell(number(site, "hidden_s"), seconds, "hidden_s"),
    el("td", { class: "histo" }, histogram(Array.isArray(site.histogram) ? site.histogram.map((n) => (Number.isFinite(n) ? n : 0)) : []))));
  if (number(others, "sites") > 0) {
    rows.push(el("tr", { class: "quiet" }, el("td", {}, `${words(others.sites, "other place")} together`), el("td"), el("td"),
      figure_cell(number(others, "count"), count, "count"), figure_cell(number(others, "bytes"), bytes, "bytes"),
      figure_cell(number(others, "waited_s"), seconds, "waited_s"), el("td"), el("td")));
  }
  return table("call-sites", [["where"], ["call"], ["lane, and why"], ["count", "n"], ["bytes", "n"], ["waited", "n"],
    ["of it hidden", "n"], ["how long calls took"]], rows);
}
