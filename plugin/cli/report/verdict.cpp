// SPDX-License-Identifier: Apache-2.0
#include "cli/report/verdict.h"

#include <algorithm>

#include "cli/report/advice.h"
#include "cli/report/gain.h"
#include "cli/report/units.h"

namespace weir::cli {
namespace {

// The figures of a run that a sentence needs. The wall-clock time is that of its longest process.
struct Sums {
  double wall_s = 0, calls = 0, hidden_s = 0, blocked_s = 0, waited = 0, peak = 0;
  std::vector<Gain> gains;  // of the processes that hid any waiting
};

Sums add(const std::vector<Record>& run) {
  Sums sums;
  for (const Record& record : run) {
    sums.wall_s = std::max(sums.wall_s, number(record.body, "wall_s"));
    sums.calls += number(record.body, "calls");
    Gain gain = gain_of(record);
    sums.hidden_s += gain.hidden_s;
    if (gain.hidden_s > 0) sums.gains.push_back(gain);
    sums.blocked_s += number(record.body, "blocked_s");
    sums.waited += number(record.body, "suspended") + number(record.body, "parked");
    sums.peak = std::max(sums.peak, number(record.body, "peak_in_flight"));
  }
  return sums;
}

// What cost most, of all processes.
Advice worst_of(const std::vector<Record>& run) {
  Advice worst;
  for (const Record& record : run) {
    std::vector<Advice> all = advice_of(record);
    if (all.empty()) continue;
    if (worst.reason.empty() || all[0].seconds > worst.seconds ||
        (all[0].seconds == worst.seconds && all[0].calls > worst.calls))
      worst = all[0];
  }
  return worst;
}

// A sentence as a part of another: without its full stop, and with a small letter but where it names us.
std::string clause(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  bool a_word = sentence.size() > 1 && (sentence[1] == ' ' || (sentence[1] >= 'a' && sentence[1] <= 'z'));
  if (a_word && sentence[0] >= 'A' && sentence[0] <= 'Z') sentence[0] += 'a' - 'A';
  return sentence;
}

// Nothing but what the processes' own threads would have done.
bool may_be_no_gain(const Sums& sums) {
  auto none = [](const Gain& gain) { return gain.is_known() && !gain.is_any(); };
  return !sums.gains.empty() && std::all_of(sums.gains.begin(), sums.gains.end(), none);
}

// In one process; of several each has its own time.
std::string by_its_own_threads(const Sums& sums) {
  if (sums.gains.size() == 1) return in_words(sums.gains[0]);
  return may_be_no_gain(sums) ? "no more than the processes' own threads wait and compute without weir" : "";
}

std::string gained(const Sums& sums, const Advice& worst) {
  std::string sentence = in_seconds(sums.hidden_s) + (may_be_no_gain(sums) ? " of waiting was hidden, in a run of "
                                 : " of waiting went on beside the computation instead of in its way, in a run of ") +
                         in_seconds(sums.wall_s) + ", with up to " + in_words(sums.peak, "call") + " under way at once";
  if (std::string threads = by_its_own_threads(sums); !threads.empty()) sentence += ", " + threads;
  double rest = sums.blocked_s - sums.hidden_s;
  bool much_is_left = rest > sums.hidden_s && rest > 0.02 * sums.wall_s;
  if (much_is_left && !worst.what.empty())
    sentence += "; " + in_seconds(rest) + " more was not hidden: " + clause(worst.what);
  return sentence + ".";
}

std::string not_gained(const Sums& sums, const Advice& worst) {
  if (sums.calls == 0) return "There was nothing to gain: the program made no call that may wait.";
  std::string calls = sums.calls == 1 ? "its only call" : "any of its " + in_words(sums.calls, "call");
  bool passed_by =
      !worst.reason.empty() && (worst.unseen || worst.seconds > 0 || sums.waited > 0 || sums.blocked_s > 0);
  if (!passed_by && sums.waited == 0) return "There was nothing to gain: weir saw no wait in " + calls + ".";
  if (worst.what.empty())
    return "Nothing was gained: while calls waited, " + in_seconds(sums.blocked_s) + " in all, there was no other work.";
  std::string sentence = "Nothing was gained: " + clause(worst.what);
  if (!worst.action.empty()) sentence += "; what to do: " + clause(worst.action);
  return sentence + ".";
}

std::string times(double ratio) { return in_digits(ratio, ratio < 10 ? 3 : 2) + " times"; }

void differ(std::vector<std::string>& out, const Record& a, const Record& b, const char* key, const std::string& what) {
  std::string of_a = text(a.body, key), of_b = text(b.body, key);
  if (of_a != of_b && !of_a.empty() && !of_b.empty()) out.push_back(what + " " + of_b + " instead of " + of_a);
}

void differ(std::vector<std::string>& out, const Record& a, const Record& b, const char* key, const char* before,
            const char* after, std::string (*say)(double)) {
  double of_a = number(a.body, key), of_b = number(b.body, key);
  double more = std::max(of_a, of_b), less = std::min(of_a, of_b);
  if (more > 1.1 * less && more > 0) out.push_back(before + say(of_b) + " instead of " + say(of_a) + after);
}

}  // namespace

std::string command_of(const Record& record) {
  std::string line;
  for (const Json& word : list(record.body, "command")) {
    if (!word.is_string()) continue;
    if (!line.empty()) line += ' ';
    line += word.get_ref<const std::string&>();
    if (line.size() > 2000) return line.substr(0, line.find(' ', 1900)) + " ...";
  }
  return line.empty() ? "a program without a name" : line;
}

std::string verdict(const std::vector<Record>& run) {
  Sums sums = add(run);
  Advice worst = worst_of(run);
  return sums.hidden_s > 0 ? gained(sums, worst) : not_gained(sums, worst);
}

std::string verdict(const Record& a, const Record& b) {
  double of_a = number(a.body, "wall_s"), of_b = number(b.body, "wall_s");
  std::string sentence;
  if (of_a <= 0 || of_b <= 0) {
    sentence = "Which run was faster can't be told: one of the reports has no time in it";
  } else if (std::max(of_a, of_b) <= 1.02 * std::min(of_a, of_b)) {
    sentence = "Both runs took the same time to within 2 %: " + in_seconds(of_a) + " and " + in_seconds(of_b);
  } else {
    bool b_won = of_b < of_a;
    sentence = std::string(b_won ? "B was " : "A was ") + times(std::max(of_a, of_b) / std::min(of_a, of_b)) + " as fast as " +
               (b_won ? "A" : "B") + ": " + in_seconds(std::min(of_a, of_b)) + " instead of " + in_seconds(std::max(of_a, of_b));
  }
  std::vector<std::string> differences;
  if (command_of(a) != command_of(b)) differences.push_back("another command line");
  differ(differences, a, b, "lane", "lane");
  differ(differences, a, b, "peak_in_flight", "up to ", " calls under way", in_count);
  differ(differences, a, b, "hidden_s", "", " of waiting hidden", in_seconds);
  differ(differences, a, b, "calls", "", " calls", in_count);
  if (differences.empty()) return sentence + ".";
  sentence += "; B had ";
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (i) sentence += i + 1 == differences.size() ? " and " : ", ";
    sentence += differences[i];
  }
  return sentence + ".";
}

}  // namespace weir::cli
