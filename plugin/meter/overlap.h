// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::meter {

// What was gained: did the program compute and wait more, all together, than its own threads could have had time for? A core that
// was free while a call waited is no gain by itself: there may have been nothing else to do on it, or a thread of the program's own
// that would have done it. Looked at is only the time in which calls waited, the rest being as without us.
//
//   closed --a call begins to wait--> open --none waits any more--> closed
//
// Between the two, each of the program's own threads can have waited or computed as long as the clock ran, and no longer. What
// there was beyond that, only waiting beside each other gave.
//
// But a device that has more to do takes longer for each. So a wait for one counts for no longer than those took that began with
// few others in flight (the device serves them before what comes after), and of these the shorter ones: a thread that begins among
// hundreds, as those of a large team, has also to wait for a core. Where those are too few, the shortest of all say it.
class Overlap {
 public:
  struct Look {
    std::int64_t now_ns = 0;
    std::int64_t cpu_ns = 0;    // the process has computed so long
    std::int64_t flown_ns = 0;  // its calls have waited so long,
    std::int64_t stored_ns = 0, stored = 0;  // of these so many for files and devices,
    std::int64_t early_ns = 0;               // of which one with few others in flight took so long; 0: there was none
    std::int64_t threads = 1;   // so many of its own it has at work
  };
  struct Sum {
    std::int64_t clock_ns = 0;      // so long calls waited, by the clock: at least one did
    std::int64_t flown_ns = 0;      // all of them together,
    std::int64_t stored_ns = 0, stored = 0;  // of these for files and devices
    std::int64_t computing_ns = 0;  // processor time meanwhile
    std::int64_t room_ns = 0;       // what the program's own threads could have waited and computed meanwhile
    std::int64_t gained_ns = 0;     // by the clock: so much longer these would have taken for as much
    double threads() const { return clock_ns ? static_cast<double>(room_ns) / static_cast<double>(clock_ns) : 0; }
  };

  void open(const Look& look);
  void close(const Look& look);
  bool is_open() const { return is_open_; }
  Sum sum() const;

 private:
  // Windows are added up until they are so long before they are judged: the kernel brings another core's processor time up to date
  // at its ticks only. Not all of them together: what was left over in one part of a run is of no use in another.
  static constexpr std::int64_t block_ns = 100'000'000;

  bool is_open_ = false;
  Sum judged(Sum block) const;

  Look opened_, closed_;
  Sum block_, judged_;  // judged_: all blocks before
};

// A call on a file or a device is over, which began to wait when there were so many in flight, itself among them.
void stored_flight_ends(std::int64_t at_once, std::int64_t flown_ns);

// Of this process, now; a window that is open is taken as closed.
Overlap::Sum overlap_now();
void overlap_after_fork();

// Threads that run tasks beside those that fork teams or enter arenas: oneTBB's workers, as many as there are without us.
extern std::atomic<std::int64_t> workers_beside;

}  // namespace weir::meter
