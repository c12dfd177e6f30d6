// SPDX-License-Identifier: Apache-2.0
// Two runs side by side.

const both = [
  ["wall clock", "wall_s", seconds], ["waiting hidden", "hidden_s", seconds], ["waiting in all", "blocked_s", seconds],
  ["own threads longer by", "gained_s", seconds], ["own threads", "own_threads", digits],
  ["calls", "calls", count], ["served at once", "fast_hits", count], ["tasks set aside", "suspended", count],
  ["threads blocked", "parked", count], ["passed through", "plain", count], ["most in flight", "peak_in_flight", count],
  ["read", "bytes_read", bytes], ["written", "bytes_written", bytes],
];
const ratio = (a, b) => (a > 0 && b > 0 ? digits(b / a) : "");

function figures_of_both(a, b) {
  const rows = both.filter(([, key]) => number(a, key) || number(b, key)).map(([name, key, say]) => el("tr", {}, el("td", {}, name),
    figure_cell(number(a, key), say, key), figure_cell(number(b, key), say, key), el("td", { class: "n" }, ratio(number(a, key), number(b, key)))));
  rows.push(el("tr", {}, el("td", {}, "lane"), [a, b].map((run) => el("td", { class: "n" }, text(run, "lane"))), el("td")));
  return table("both", [[""], ["A", "n"], ["B", "n"], ["B / A", "n"]], rows);
}

// Rows that both runs have, or one: by what names them, the costliest first.
function matched(a, b, name, cost) {
  const rows = new Map();
  [a, b].forEach((side, i) => side.forEach((item) => {
    const row = rows.get(name(item)) || [null, null];
    if (!row[i] || cost(item) > cost(row[i])) row[i] = item;
    rows.set(name(item), row);
  }));
  return [...rows.values()].sort((x, y) => Math.max(...y.filter(Boolean).map(cost)) - Math.max(...x.filter(Boolean).map(cost)));
}
const which = (letter) => el("span", { class: "which" }, letter);

function regions_of_both(a, b) {
  const pairs = matched(list(a, "regions"), list(b, "regions"), region_name, time_of);
  if (!pairs.length) return null;
  const longest = Math.max(...pairs.flat().filter(Boolean).map(time_of)) || 1;
  const rows = pairs.flatMap((pair) => pair.map((region, i) => region && el("tr", {},
    el("td", { class: "place" }, which("AB"[i]), region_name(region)), el("td", { class: "bars" }, time_bar(region, longest)),
    times.map((time) => figure_cell(number(region, time.key), seconds, time.key)), figure_cell(number(region, "calls"), count, "calls")))).filter(Boolean);
  return el("div", {}, time_legend(), table("regions", [["region"], ["time of all its threads and tasks"],
    ...times.map((time) => [time.name, "n"]), ["calls", "n"]], rows));
}

function sites_of_both(a, b) {
  const name = (site) => [function_of(site) || address(site), line_of(site), text(site, "call")].join("\n");
  const pairs = matched(list(a, "call_sites"), list(b, "call_sites"), name, (site) => number(site, "waited_s")).slice(0, 60);
  if (!pairs.length) return null;
  const figure = (pair, i, key, say) => (pair[i] ? figure_cell(number(pair[i], key), say, key) : el("td", { class: "n" }, "-"));
  const rows = pairs.map((pair) => el("tr", {}, place_cell(pair[0] || pair[1]), el("td", {}, text(pair[0] || pair[1], "call")),
    el("td", {}, [0, 1].map((i) => pair[i] && el("div", {}, which("AB"[i]), text(pair[i], "lane") || "-"))),
    ...[["count", count], ["waited_s", seconds], ["hidden_s", seconds]].flatMap(([key, say]) => [0, 1].map((i) => figure(pair, i, key, say)))));
  return table("call-sites", [["where"], ["call"], ["lane"], ["count A", "n"], ["B", "n"], ["waited A", "n"], ["B", "n"],
    ["hidden A", "n"], ["B", "n"]], rows);
}

function compare_view([a, b]) {
  const scale = scale_of([a, b]);
  const side = (make) => el("div", { class: "pair" }, [a, b].map((run, i) => el("div", {},
    el("h3", {}, which("AB"[i]), el("span", { class: "code" }, text(run, "command_line"))), make(run))));
  return [...section("The figures", figures_of_both(a, b)),
    ...section("Timeline, both on the same scales", side((run) => timeline(run, scale))),
    ...section("What kept weir from helping more", side(advice)),
    ...section("Where the time went", regions_of_both(a, b)),
    ...section("Which calls", sites_of_both(a, b)),
    ...(list(a, "devices").length || list(b, "devices").length ? section("Devices", side((run) => devices(run) || el("p", { class: "quiet" }, "Not sampled."))) : [])];
}
