// SPDX-License-Identifier: Apache-2.0
#include "cli/report/advice.h"

#include <algorithm>
#include <map>

#include "cli/report/gain.h"
#include "cli/report/sites.h"
#include "cli/report/units.h"

namespace weir::cli {
namespace {

constexpr std::size_t most_places = 4;
constexpr char waits_for_nothing[] = "buffered_write";

struct Words {
  const char* reason;
  const char* what;
  const char* action;
};

// The reasons of meter/reason.h in the words of somebody who has a program to run.
constexpr Words words[] = {
    {"outside", "Calls were made by threads in no OpenMP team and no oneTBB arena, and passed through.",
     "Make them within a parallel region or task, or through weir's own interface (weir/weir.h, weir/future.hpp)."},
    {"lane_off", "weir was switched off.", "Leave out --lane=off."},
    {"left_alone", "The OpenMP teams were left alone, so their calls passed through unseen.",
     "Run it without the setting or the tool that keeps weir from its teams."},
    {"libgomp", "gcc's OpenMP run-time tells nobody when a thread is in a team, so the teams' calls passed through unseen.",
     "Let LLVM's libomp stand in for it: install it, leave out --libomp=no, and put weir run right before the program; or "
     "name it with --libomp=FILE. Where its teams would be left alone, --omp-teams=any says that they bear any number of threads."},
    {"libomp",
     "LLVM's libomp stood in for gcc's OpenMP run-time, so that weir could help, and nothing was gained. Its threads wait for each "
     "other in another way, which may take more processor time.",
     "Use --libomp=no, and compare: the program runs on the run-time that it was built for then, and weir leaves its teams alone."},
    {"not_a_task",
     "Calls came from a team's own code, not from a task that could be set aside, so their threads blocked, and "
     "stand-ins took the cores where they were there.",
     "Make the loop's body a task (omp taskloop, omp task): thousands of them can wait on a few threads."},
    {"lock_held", "A lock was held across the call, so its thread blocked with it.",
     "Release the lock before the call, or read into a buffer first and lock after."},
    {"signal_handler", "The call was made in a signal handler.", "Move the I/O out of the handler."},
    {"eintr_wanted", "A signal handler without SA_RESTART is installed, so calls must stay interruptible.",
     "Install it with SA_RESTART, if nothing relies on EINTR."},
    {"nonblocking", "The descriptors do not block (O_NONBLOCK, MSG_DONTWAIT): the program does its own waiting.",
     "Let them block, and weir waits for them."},
    {"unsupported_fd", "io_uring can't wait for descriptors of this kind.", ""},
    {"unsupported_call", "Only libc can serve calls with these flags or arguments.", ""},
    {"buffered_write", "Writes were copies to the page cache, and waited for nothing.", ""},
    {"child",
     "Threads waited for child processes (system, pclose, waitpid), which may compute on these cores themselves: so no stand-in "
     "took them.",
     "If the children mostly wait, have more of them at once: by the program's own option, or with more threads (OMP_NUM_THREADS)."},
    {"no_ring", "io_uring is missing, forbidden, or out of memory, so no more tasks could be set aside than weir has threads for.",
     "weir doctor says which; allow io_uring in the container, or set the sysctl kernel.io_uring_disabled to 0."},
    {"cap", "As many tasks were set aside as the run-time bears, and further ones had to block.",
     "Raise WEIR_MAX_SUSPENDED, or use a run-time with more room (weir doctor)."},
    {"backlog", "Enough tasks waited for the device or for a core already, and further ones blocked their threads.", ""},
    {"alone", "A task blocked its thread where nobody had anything else to do: it goes on sooner so.", ""},
    {"construct", "The task was within a construct that can't be carried over a suspension.",
     "Do the I/O in a task of its own, outside of that construct."},
    {"no_stack", "There was no memory for another task's stack.",
     "Lower WEIR_STACK_KIB, or raise the memory limit or vm.max_map_count."},
    {"foreign_stack", "The call ran on a stack that is not the task's own, as a coroutine library makes them.",
     "Make the call on the task's own stack."},
    {"in_order",
     "The tasks of a team or an arena of one thread go one after the other, as without weir, in an order that the program may "
     "count on.",
     "Give it more threads (unset OMP_NUM_THREADS, where it is 1); or use --lane=suspend, if nothing depends on the order of "
     "its tasks."},
    {"thread_bound", "The program may depend on which thread a task runs on, so its tasks were not set aside.",
     "Use --lane=suspend if none of these names matters to a task that does I/O."},
    {"watchdog", "With tasks set aside nothing moved any more, so weir went back to parking.",
     "A task seems to wait for another without a call: use --lane=park, or raise WEIR_WATCHDOG_MS if it only computes "
     "long."},
    {"cancellable", "The program uses pthread_cancel, so no task may change its thread.",
     "Use --lane=suspend only if no thread that does I/O is ever cancelled."},
    {"memory", "Little memory was left, and much of it went to what was under way: meanwhile no more went on at once than without weir.",
     "Give the program more memory, or have less under way: --stand-ins, --max-permits, WEIR_MAX_SUSPENDED."},
    {"few_at_once", "Tasks try for locks of files, as SQLite's do, and give up after a time: so no more go on at once than without weir.",
     "Nothing needs to be done; but what needs no such lock could be done in a loop of its own, before or after."},
    {"no_stand_in", "Threads blocked, and no stand-in was there to take their cores.",
     "Leave room for stand-ins: unset what takes it, and raise --stand-ins where it is low."},
    {"gate_timeout", "Callers waited as long as they may for a permit or a core, then went on.",
     "Cores were busy: more gain is not to be had; if they were not, raise --max-permits or --threads."},
};

Advice begin(const std::string& reason) {
  Advice advice;
  advice.reason = reason;
  advice.what = "Kept from a better lane by '" + reason + "'.";
  for (const Words& row : words) {
    if (reason == row.reason) advice.what = row.what, advice.action = row.action;
  }
  return advice;
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// With nothing counted, no call of a team, task or arena was seen at all; the record as a whole says why.
std::string why_unseen(const Record& record) {
  const Json& body = record.body;
  double written = body.contains("fallbacks") ? number(body["fallbacks"], waits_for_nothing) : 0;
  bool seen = written + number(body, "fast_hits") + number(body, "parked") + number(body, "suspended") + number(body, "hidden_s") > 0;
  if (seen || number(body, "plain") <= 0) return "";
  if (text(body, "lane") == "off") return "lane_off";
  std::string note = text(body, "note");
  if (begins(note, "libgomp stays") || begins(note, "no LLVM")) return "libgomp";
  std::string kept_out = text(body, "omp_kept_out");
  bool computes = begins(kept_out, "no parallel region");  // so it was not in a team that the calls were made
  return kept_out.empty() || computes ? "outside" : "left_alone";
}

// Where OpenMP's regions computed, on a run-time that weir put there, and it was of no use.
bool libomp_was_in_vain(const Record& record) {
  constexpr double least_s = 0.1;
  const std::string ending = " stands in for libgomp", note = text(record.body, "note");
  if (note.size() < ending.size() || note.compare(note.size() - ending.size(), ending.size(), ending)) return false;
  Gain gain = gain_of(record);
  if (gain.is_worth_a_word() && (!gain.is_known() || gain.is_any())) return false;
  double computing_s = 0;
  for (const Json& region : list(record.body, "regions"))
    if (text(region, "kind") == "openmp") computing_s += number(region, "computing_s");
  return computing_s >= least_s;
}

// Room for stand-ins, where OpenMP teams were left alone: "" where there is no more to say than of any.
const char* how_to_leave_room(const std::string& kept_out) {
  if (begins(kept_out, "OMP_NUM_THREADS") || begins(kept_out, "the program calls omp_set_num_threads"))
    return "If that number is meant for the cores, --omp-count=cores leaves room for threads that wait.";
  if (begins(kept_out, "the program calls omp_set_dynamic")) return "";
  if (begins(kept_out, "the program "))
    return "If it bears teams of any size (docs/openmp.md), say so: --omp-teams=any; or same, if all must have one size.";
  return "";
}

// The names that made `auto` choose to park are what to look at; for the others, the calls themselves.
void name_places(Advice& advice, const Record& record) {
  if (advice.reason == "thread_bound") {
    for (const Json& finding : list(record.body, "lane_evidence")) {
      if (advice.where.size() == most_places) break;
      std::string name = text(finding, "name"), object = text(finding, "object"), meaning = text(finding, "meaning");
      advice.where.push_back((name.empty() ? "" : name + " in ") + object + (meaning.empty() ? "" : ": " + meaning));
    }
    // A loop's calls are in no task: what they want is room for stand-ins.
    if (std::string kept_out = text(record.body, "omp_kept_out"); !kept_out.empty()) {
      advice.where.push_back("OpenMP, of loops: the teams are left alone, since " + kept_out);
      if (const char* how = how_to_leave_room(kept_out); *how) advice.action += std::string(" For loops: ") + how;
    }
    if (!advice.where.empty()) return;
  }
  if (advice.reason == "libgomp") advice.where.push_back(text(record.body, "note"));
  std::string kept_out = text(record.body, "omp_kept_out");
  if (advice.reason == "left_alone")
    advice.what = "The OpenMP teams were left alone, since " + kept_out + ": their calls passed through unseen.";
  if (advice.reason == "no_stand_in" && !kept_out.empty()) advice.where.push_back("OpenMP: " + kept_out);
  if (advice.reason == "left_alone" || advice.reason == "no_stand_in") {
    if (const char* how = how_to_leave_room(kept_out); *how) advice.action = how;
  }
  if (std::string narrow = text(record.body, "omp_narrow"); advice.reason == "no_stand_in" && !narrow.empty()) {
    advice.where.push_back("OpenMP: " + narrow);
    advice.action = begins(narrow, "the passes") ? "" : "If the region bears any number of threads, say so: --omp-teams=any (docs/openmp.md).";
  }
  for (const Json& site : record.call_sites) {
    if (advice.where.size() == most_places) break;
    if (text(site, "reason") != advice.reason) continue;
    std::string words = text(site, "call", "call") + " at " + place_of(site);
    if (std::find(advice.where.begin(), advice.where.end(), words) == advice.where.end()) advice.where.push_back(words);
  }
}

}  // namespace

std::vector<Advice> advice_of(const Record& record) {
  std::map<std::string, Advice> found;
  auto of = [&](const std::string& reason) -> Advice& { return found.try_emplace(reason, begin(reason)).first->second; };
  auto each = [&](const char* section, auto&& take) {
    auto at = record.body.find(section);
    if (at == record.body.end() || !at->is_object()) return;
    for (auto& [reason, ignored] : at->items()) {
      double value = number(*at, reason.c_str());
      if (value > 0 && reason != "none" && reason != waits_for_nothing) take(of(reason), value);
    }
  };
  each("lost_by_reason", [](Advice& advice, double value) { advice.seconds = value, advice.timed = true; });
  each("fallbacks", [](Advice& advice, double value) { advice.calls = value; });
  // Where no call waited, threads of a large team did, that computes: for a core.
  if (number(record.body, "parked") + number(record.body, "suspended") + number(record.body, "blocked_s") == 0)
    found.erase("gate_timeout");
  if (std::string unseen = why_unseen(record); found.empty() && !unseen.empty()) {
    of(unseen).calls = number(record.body, "plain");
    of(unseen).unseen = unseen != "outside";  // of these, most programs have some that are none of weir's business
  }
  if (libomp_was_in_vain(record)) of("libomp");
  std::vector<Advice> all;
  for (auto& [reason, advice] : found) {
    name_places(advice, record);
    all.push_back(std::move(advice));
  }
  std::sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.calls > b.calls;
  });
  return all;
}

std::string advice_text(const std::vector<Advice>& all) {
  std::string lines;
  if (all.empty()) lines = "weir: nothing kept it from helping more\n";
  else lines = "weir: what kept it from helping more, the costliest first\n";
  for (const Advice& advice : all) {
    std::string cost = advice.timed ? in_seconds(advice.seconds) : "";
    if (advice.calls > 0) cost += (cost.empty() ? "" : ", ") + in_words(advice.calls, "call");
    lines += "weir:   " + advice.reason + (cost.empty() ? "" : " (" + cost + ")") + ": " + advice.what + "\n";
    for (const std::string& place : advice.where) lines += "weir:       " + place + "\n";
    if (!advice.action.empty()) lines += "weir:     > " + advice.action + "\n";
  }
  return lines;
}

}  // namespace weir::cli
