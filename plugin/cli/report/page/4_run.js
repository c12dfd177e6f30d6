// SPDX-License-Identifier: Apache-2.0
// One process, and several of one run.

const reasons = { thread_bound: "its tasks may depend on their thread", no_ring: "there is no io_uring here",
  lane_off: "switched off", cancellable: "it uses pthread_cancel", watchdog: "nothing moved with tasks set aside" };

function figures(process) {
  const read = number(process, "bytes_read"), written = number(process, "bytes_written");
  const reason = text(process, "lane_reason");
  const rows = [
    ["wall clock", "wall_s", seconds], ["waiting hidden", "hidden_s", seconds, `of ${seconds(number(process, "blocked_s"))} in all`],
    ["gained", "gained_s", seconds, `longer with its ${Math.round(10 * number(process, "own_threads")) / 10} threads`],
    ["calls", "calls", count, `${count(number(process, "fast_hits"))} served at once`],
    ["most in flight", "peak_in_flight", count], ["tasks set aside", "suspended", count], ["threads blocked", "parked", count],
    ["read", "bytes_read", bytes], ["written", "bytes_written", bytes],
  ].filter(([, key]) => has(process, key) && (process[key] > 0 || !["bytes_written", "bytes_read", "gained_s"].includes(key)));
  return el("dl", { class: "figures" }, rows.map(([name, key, say, more]) => el("div", {}, el("dt", {}, name),
    el("dd", { "data-figure": key, "data-value": process[key] }, say(process[key]), more && el("small", {}, more)))),
  text(process, "lane") && el("div", {}, el("dt", {}, "lane"), el("dd", {}, text(process, "lane"),
    reason && reason !== "none" && el("small", {}, reasons[reason] || reason))));
}

function advice(process) {
  const items = list(process, "advice");
  if (!items.length) return el("p", { class: "quiet" }, "Nothing did.");
  return el("ol", { class: "advice" }, items.map((item) => el("li", { "data-reason": item.reason },
    el("div", { class: "cost", "data-value": has(item, "seconds") ? item.seconds : item.calls },
      has(item, "seconds") ? seconds(item.seconds) : has(item, "calls") && words(item.calls, "call"),
      has(item, "seconds") && has(item, "calls") && el("small", {}, words(item.calls, "call"))),
    el("div", {}, el("p", {}, item.what), item.action && el("p", { class: "action" }, sentence(item.action)),
      Array.isArray(item.where) && item.where.length > 0 && el("ul", { class: "code" }, item.where.map((place) => el("li", { style: "display:block;padding:0;border:0" }, place)))))));
}

// What was sampled of the devices over time; or, where it has no times, every field that is a figure or a word as a column.
function devices(process) {
  const all = list(process, "devices");
  if (!all.length) return null;
  if (points_of(process, "devices").length) {
    return timeline(process, scale_of([process], "devices", device_panels), "devices", device_panels);
  }
  const keys = [...new Set(all.flatMap((device) => Object.keys(device).filter((key) => ["number", "string"].includes(typeof device[key]))))];
  keys.sort((a, b) => all.some((device) => typeof device[b] === "string") - all.some((device) => typeof device[a] === "string"));
  const say = (key, value) => {
    if (typeof value !== "number") return value === undefined ? "" : String(value);
    if (key.endsWith("_s") && !key.includes("per_s")) return seconds(value);
    if (key.includes("bytes")) return key.endsWith("per_s") ? rate(value) : bytes(value);
    return plain(value);
  };
  const rows = all.map((device) => el("tr", {}, keys.map((key) => (typeof device[key] === "number"
    ? figure_cell(device[key], () => say(key, device[key]), key) : el("td", {}, say(key, device[key]))))));
  return table("devices", keys.map((key) => [key.replace(/_per_s$/, " per s").replace(/_s$/, "").replaceAll("_", " "),
    all.some((device) => typeof device[key] === "number") ? "n" : ""]), rows);
}

const section = (title, ...content) => (content.some(Boolean) ? [el("h2", {}, title), ...content.filter(Boolean)] : []);

function process_view(process) {
  const remarks = Array.isArray(process.remarks) ? process.remarks : [];
  return [figures(process),
    ...section("What kept weir from helping more", advice(process)),
    ...section("Timeline", timeline(process, scale_of([process]))),
    ...section("Where the time went", region_table(process)),
    ...section("Which calls", site_table(process)),
    ...section("Devices", devices(process)),
    remarks.map((remark) => el("p", { class: "quiet note" }, `Of this report, ${remark}.`))].flat();
}

function process_list(processes) {
  const rows = processes.map((process, i) => el("tr", {},
    el("td", { class: "place" }, process.shortened ? text(process, "command_line") : el("a", { href: `#process-${i}` }, text(process, "command_line"))),
    el("td", { class: "n" }, String(number(process, "pid"))), figure_cell(number(process, "wall_s"), seconds, "wall_s"),
    figure_cell(number(process, "calls"), count, "calls"), figure_cell(number(process, "hidden_s"), seconds, "hidden_s"),
    figure_cell(number(process, "blocked_s"), seconds, "blocked_s"), figure_cell(number(process, "peak_in_flight"), count, "peak_in_flight"),
    el("td", {}, text(process, "lane"))));
  return table("processes", [["process"], ["id", "n"], ["wall clock", "n"], ["calls", "n"], ["hidden", "n"], ["waited", "n"],
    ["most in flight", "n"], ["lane"]], rows);
}

function run_view(processes) {
  if (processes.length === 1) return process_view(processes[0]);
  const open = (id) => { const target = document.getElementById(id); if (target && "open" in target) target.open = true; };
  addEventListener("hashchange", () => open(location.hash.slice(1)));
  return [...section(`The ${processes.length} processes of this run`, process_list(processes)),
    ...processes.map((process, i) => (process.shortened ? null : el("details", { class: "process", id: `process-${i}`, open: i === 0 ? "" : null },
      el("summary", {}, text(process, "command_line"), el("span", { class: "quiet" }, ` process ${number(process, "pid")}`)),
      process_view(process)))).filter(Boolean)];
}
