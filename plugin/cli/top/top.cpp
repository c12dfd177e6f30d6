// SPDX-License-Identifier: Apache-2.0
// weir top: what running processes are about, live on a terminal, once elsewhere.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/top/places.h"
#include "cli/top/screen.h"
#include "cli/top/texts.h"
#include "cli/top/watched.h"

namespace weir::cli {
namespace {

constexpr int answer_within_ms = 200;
constexpr double first_interval_s = 0.3;  // between the two looks of a snapshot

// The processes watched, and what they showed last.
class Watch {
 public:
  explicit Watch(pid_t only) : only_(only) {}

  // False: the only process wanted can't be watched; why stands in trouble().
  bool look() {
    find();
    for (auto& [process, one] : all_) one.watched->ask();
    for (auto& [process, one] : all_) {
      Row& row = one.row;
      meter::Shown now;
      row.answers = one.watched->answer(now, answer_within_ms);
      if (!row.answers) continue;
      row.before = row.now;
      row.now = now;
      name_places(row);
    }
    return !only_ || !all_.empty();
  }

  std::vector<Row> rows() const {
    std::vector<Row> rows;
    for (const auto& [process, one] : all_)
      if (one.row.now.now_ns || only_) rows.push_back(one.row);
    return rows;
  }
  const std::string& trouble() const { return trouble_; }

 private:
  struct One {
    std::unique_ptr<Watched> watched;
    Row row;
  };

  void find() {
    for (auto it = all_.begin(); it != all_.end();) {
      if (it->second.watched->alive()) {
        ++it;
        continue;
      }
      places_.forget(it->first);
      it = all_.erase(it);
    }
    for (pid_t process : only_ ? std::vector<pid_t>{only_} : processes()) {
      if (all_.count(process)) continue;
      std::unique_ptr<Watched> watched = Watched::open(process, trouble_);
      if (!watched) continue;
      One& one = all_[process];
      one.row.process = process;
      one.row.command = watched->command();
      one.watched = std::move(watched);
    }
  }

  void name_places(Row& row) {
    row.places.clear();
    if (!only_) return;
    auto count = std::clamp<std::int64_t>(row.now.site_count, 0, meter::Shown::most_sites);
    for (std::int64_t i = 0; i < count; ++i)
      row.places.push_back(places_.of(static_cast<pid_t>(row.process), row.now.sites[i].address));
  }

  pid_t only_;
  std::map<pid_t, One> all_;
  std::string trouble_;
  Places places_;
};

int complain(const std::string& trouble) {
  std::fprintf(stderr, "weir: %s\n", trouble.c_str());
  return status_failed;
}

int snapshot(Watch& watch, bool in_detail, double interval_s) {
  if (!watch.look()) return complain(watch.trouble());
  if (!watch.rows().empty()) {
    timespec pause{static_cast<time_t>(interval_s), static_cast<long>((interval_s - static_cast<long>(interval_s)) * 1e9)};
    nanosleep(&pause, nullptr);
    // A process that ended meanwhile is gone: what it showed first will do.
    std::vector<Row> first = watch.rows();
    watch.look();
    for (const std::string& line : view(watch.rows().empty() ? first : watch.rows(), in_detail)) std::puts(line.c_str());
  } else {
    for (const std::string& line : view({}, in_detail)) std::puts(line.c_str());
  }
  return std::fflush(stdout) ? status_failed : 0;
}

std::vector<std::string> headed(std::vector<std::string> lines, std::size_t count) {
  char clock[16];
  std::time_t now = std::time(nullptr);
  std::strftime(clock, sizeof clock, "%H:%M:%S", std::localtime(&now));
  lines.insert(lines.begin(), {std::string("weir top  ") + clock + "  " + std::to_string(count) +
                                   (count == 1 ? " process" : " processes") + "  q: quit",
                               ""});
  return lines;
}

int live(Watch& watch, pid_t only, double interval_s) {
  if (!watch.look()) return complain(watch.trouble());
  int ended_by = 0;
  bool gone = false;
  {
    Screen screen;
    for (auto event = Screen::Event::resized; event != Screen::Event::quit;) {
      screen.show(headed(view(watch.rows(), only), watch.rows().size()));
      event = screen.wait(static_cast<int>(interval_s * 1000), &ended_by);
      if (event == Screen::Event::time_is_up && (gone = !watch.look())) break;
    }
  }
  if (gone) std::printf("process %d has ended\n", static_cast<int>(only));
  if (ended_by && ended_by != SIGINT) raise(ended_by);
  return 0;
}

}  // namespace

int top_command(int argc, char** argv) {
  CLI::App app{"weir top [PID] [--once] [--interval=S]\nWhat the processes with weir in them are about: all of this user's, or one "
               "in detail. Live on a terminal, once\nwhere the output goes elsewhere. q ends it.",
               "weir top"};
  int process = 0;
  double interval_s = 0;
  bool once = false;
  app.add_option("PID", process, "the process to look at")->check(CLI::Range(1, 1 << 30));
  app.add_flag("--once", once, "one look, as text, also on a terminal")->disable_flag_override();
  app.add_option("--interval", interval_s, "seconds between two looks; 1, or 0.3 for a single one")
      ->type_name("S")
      ->check(CLI::Range(0.05, 3600.0));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "weir: %s\nweir: weir top --help says more\n", error.what());
    return status_usage;
  }
  Watch watch(process);
  if (once || !isatty(1)) return snapshot(watch, process, interval_s > 0 ? interval_s : first_interval_s);
  return live(watch, process, interval_s > 0 ? interval_s : 1);
}

}  // namespace weir::cli
