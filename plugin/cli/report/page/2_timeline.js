// SPDX-License-Identifier: Apache-2.0
// The timeline: panels one above the other on one time axis. Drawn anew at each width, so that its text keeps its size.

const run_panels = [
  { name: "Calls under way", series: [
    { key: "in_flight", name: "in flight", colour: "blue", area: true, say: plain },
    { key: "permits", name: "permits", colour: "orange", dashed: true, step: true, say: plain } ] },
  { name: "Waiting", series: [
    { key: "suspended", name: "tasks set aside", colour: "teal", area: true, say: plain },
    { key: "parked", name: "threads blocked", colour: "orange", say: plain } ] },
  { name: "Cores busy", series: [
    { key: "cores_busy", name: "cores busy", colour: "blue", area: true, say: plain } ] },
  { name: "Throughput", series: [
    { key: "bytes_per_s", name: "bytes of storage", colour: "teal", area: true, say: rate } ] },
  { name: "Calls per second", series: [
    { key: "calls_per_s", name: "calls", colour: "blue", say: per_second },
    { key: "ops_per_s", name: "calls that waited", colour: "teal", dashed: true, say: per_second } ] },
];
// What was seen of the machine's disks and its page cache.
const device_panels = [
  { name: "Bytes per second", series: [
    { key: "disk_bytes_per_s", name: "all disks", colour: "blue", area: true, say: rate },
    { key: "own_bytes_per_s", name: "this process", colour: "teal", dashed: true, say: rate } ] },
  { name: "In flight at the disks", series: [
    { key: "disk_in_flight", name: "in flight", colour: "blue", area: true, say: plain } ] },
  { name: "Time stalled by I/O, percent", series: [
    { key: "io_pressure", name: "I/O pressure", colour: "plum", area: true, say: plain } ] },
  { name: "Page cache not yet on disk", series: [
    { key: "dirty_bytes", name: "dirty", colour: "orange", say: bytes },
    { key: "writeback_bytes", name: "being written", colour: "teal", dashed: true, say: bytes } ] },
];
const states = { fast: "seeks in large steps", normal: "tries a little more, a little less", hold: "has found its number",
  relocate: "starts anew: the program changed", idle: "asleep, or not needed yet", fixed: "keeps the number it was given" };
const gutter = 58, right_edge = 8, panel_height = 76, panel_gap = 42, band_height = 12;

const points_of = (process, part) => list(process, part).filter((point) => has(point, "t_s"));

// What both of two runs are drawn to, so that they compare: the end of time, and the top of each panel.
function scale_of(processes, part = "timeline", panels = run_panels) {
  const all = processes.flatMap((process) => points_of(process, part));
  const top = (panel) => Math.max(0, ...panel.series.flatMap((s) => all.map((point) => number(point, s.key))));
  return { end: Math.max(0, ...all.map((point) => point.t_s)), tops: panels.map((panel) => round_up(top(panel))) };
}

// The next of 1, 2, 5, 10 ...
function round_up(value) {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * 0.9999) * power;
}

function tick_step(end, width) {
  const wanted = end / Math.max(2, Math.floor(width / 110));
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].find((step) => step * power >= wanted) * power;
}

// "M x y L x y ..."; a point that lacks the figure leaves a gap.
function path_of(points, series, x, y) {
  let path = "", drawn = 0, before = null;
  for (const point of points) {
    if (!has(point, series.key)) { before = null; continue; }
    const at = [x(point.t_s).toFixed(1), y(point[series.key]).toFixed(1)];
    if (!before) path += `M${at[0]} ${at[1]}`;
    else path += series.step ? `H${at[0]}V${at[1]}` : `L${at[0]} ${at[1]}`;
    before = at;
    ++drawn;
  }
  return { path, drawn };
}

function draw_series(group, points, series, x, y, floor) {
  const { path, drawn } = path_of(points, series, x, y);
  const known = points.filter((point) => has(point, series.key));
  if (series.area && drawn === points.length && drawn > 1) {
    group.append(svg("path", { class: `area ${series.colour}`,
      d: `${path}L${x(known[drawn - 1].t_s).toFixed(1)} ${floor}L${x(known[0].t_s).toFixed(1)} ${floor}Z` }));
  }
  const peak = Math.max(...known.map((point) => point[series.key]));
  group.append(svg("path", { class: `line ${series.colour}${series.dashed ? " dashed" : ""}`, d: path,
    "data-series": series.key, "data-points": drawn, "data-peak": peak }));
  if (drawn === 1) group.append(svg("circle", { class: `dot ${series.colour}`, cx: x(known[0].t_s), cy: y(peak), r: 3 }));
}

// The controller's states as one band along the top; neighbours of one state are one piece.
function draw_states(picture, points, x, width, end) {
  let pieces = 0;
  for (let i = 0; i < points.length;) {
    let next = i;
    while (next < points.length && text(points[next], "state") === text(points[i], "state")) ++next;
    const from = x(points[i].t_s), to = next < points.length ? x(points[next].t_s) : x(end);
    const state = text(points[i], "state");
    if (state) {
      picture.append(svg("rect", { class: `band ${state in states ? state : "hold"}`, x: from, y: 0, height: band_height,
        width: Math.max(to - from, 1), "data-state": state }, svg("title", {}, `controller: ${state}`)));
      ++pieces;
    }
    i = next;
  }
  return pieces;
}

function draw_panel(picture, panel, series, points, top, at, x, width) {
  const floor = at + panel_height, y = (value) => floor - (top ? value / top : 0) * panel_height;
  const title = svg("text", { class: "name", x: 0, y: at - 14 }, panel.name);
  picture.append(title);
  picture.append(svg("path", { class: "grid", d: `M${gutter} ${at}H${width - right_edge}M${gutter} ${floor}H${width - right_edge}` }));
  for (const [value, where] of [[top, at + 4], [0, floor + 4]]) {
    picture.append(svg("text", { x: gutter - 7, y: where, "text-anchor": "end" }, value ? series[0].say(value).replace("/s", "") : "0"));
  }
  for (const one of series) draw_series(picture, points, one, x, y, floor);
  if (panel.series.length < 2) return;
  let from = width - right_edge;  // a legend, at the right of the panel's name
  for (const one of [...series].reverse()) {
    from -= one.name.length * 6.6;
    picture.append(svg("text", { x: from, y: at - 14 }, one.name));
    picture.append(svg("path", { class: `line ${one.colour}${one.dashed ? " dashed" : ""}`, d: `M${from - 25} ${at - 18}h18` }));
    from -= 40;
  }
}

function draw_times(picture, end, x, width, floor) {
  if (!end) return;
  const step = tick_step(end, width - gutter);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let i = 0; i * step <= end * 1.0001; ++i) {
    const at = x(i * step), last = at > width - 30;
    picture.append(svg("text", { x: last ? width : at, y: floor + 20, "text-anchor": last ? "end" : "middle" },
      (i * step).toFixed(places) + (i ? "" : " s")));
  }
}

function draw_timeline(box, points, panels, scale, width) {
  const x = (t) => gutter + (scale.end ? t / scale.end : 0) * (width - gutter - right_edge);
  const picture = svg("svg", { role: "img", tabindex: "0", "aria-label": "Timeline of the run; the arrow keys move along it" });
  const own_end = points[points.length - 1].t_s;
  let floor = draw_states(picture, points, x, width, own_end) ? band_height + 34 : 26, shown = [];
  panels.forEach((panel, i) => {
    const series = panel.series.filter((one) => points.some((point) => number(point, one.key) > 0));
    if (!series.length) return;
    draw_panel(picture, panel, series, points, scale.tops[i], floor, x, width);
    shown.push(...series);
    floor += panel_height + panel_gap;
  });
  floor -= panel_gap;
  draw_times(picture, scale.end, x, width, floor);
  picture.setAttribute("viewBox", `0 0 ${width} ${floor + 28}`);
  box.replaceChildren(picture);
  follow_pointer(box, picture, points, shown, x, width, floor);
}

// A line across all panels, and the values there.
function follow_pointer(box, picture, points, shown, x, width, floor) {
  const cross = svg("path", { class: "cross" });
  const tip = el("div", { class: "tip", hidden: "", role: "status" });
  picture.append(cross);
  box.append(tip);
  let at = -1;
  const hide = () => { tip.hidden = true; cross.removeAttribute("d"); at = -1; };
  const show = (index) => {
    at = Math.min(Math.max(index, 0), points.length - 1);
    const point = points[at], middle = x(point.t_s);
    cross.setAttribute("d", `M${middle} 0V${floor}`);
    const rows = shown.filter((one) => has(point, one.key)).map((one) => [one.name, one.say(point[one.key])]);
    if (text(point, "state")) rows.push(["controller", text(point, "state")]);
    tip.replaceChildren(el("table", {}, [["at", seconds(point.t_s)], ...rows].map(([name, value]) =>
      el("tr", {}, el("td", {}, name), el("td", {}, value)))));
    tip.hidden = false;
    const ratio = picture.clientWidth / width || 1, room = picture.clientWidth - tip.offsetWidth;
    const beside = middle * ratio + 12 <= room ? middle * ratio + 12 : middle * ratio - tip.offsetWidth - 12;
    tip.style.left = `${Math.max(0, beside)}px`;
    tip.style.top = `${band_height + 12}px`;
  };
  const nearest = (event) => {
    const inside = (event.clientX - picture.getBoundingClientRect().left) * (width / picture.clientWidth);
    let best = 0;
    points.forEach((point, i) => { if (Math.abs(x(point.t_s) - inside) < Math.abs(x(points[best].t_s) - inside)) best = i; });
    show(best);
  };
  picture.addEventListener("pointermove", nearest);
  picture.addEventListener("pointerdown", nearest);
  picture.addEventListener("pointerleave", hide);
  picture.addEventListener("blur", hide);
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    show(at < 0 ? 0 : at + step);
  });
}

function timeline(process, scale, part = "timeline", panels = run_panels) {
  const points = points_of(process, part);
  if (!points.length) return el("p", { class: "quiet" }, "The report has no timeline: the run was too short for one, or an older weir wrote it.");
  const box = el("div", { class: "chart", "data-chart": part });
  let drawn = 0;
  const draw = () => {
    const width = Math.max(300, Math.floor(box.clientWidth));
    if (box.clientWidth && width !== drawn) draw_timeline(box, points, panels, scale, drawn = width);
  };
  new ResizeObserver(draw).observe(box);
  const seen = [...new Set(points.map((point) => text(point, "state")).filter(Boolean))];
  const legend = seen.length && el("p", { class: "legend" }, "The controller:", seen.map((state) =>
    el("span", {}, el("i", { class: `swatch ${state in states ? state : "hold"}` }), state in states ? `${state}: ${states[state]}` : state)));
  return el("div", {}, box, legend || "");
}
