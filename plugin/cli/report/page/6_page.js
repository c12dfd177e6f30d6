// SPDX-License-Identifier: Apache-2.0
const report = JSON.parse(document.getElementById("data").textContent);
const processes = list(report, "processes");
document.getElementById("content").append(...(report.kind === "compare" ? compare_view(processes) : run_view(processes)));
document.documentElement.dataset.drawn = "yes";
// A closed part would be missing on paper.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
