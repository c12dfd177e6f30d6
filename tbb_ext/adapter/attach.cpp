// SPDX-License-Identifier: Apache-2.0
// What libweir_preload.so finds in libweir_tbb.so.
#include <cstdlib>

#include "tbb_ext/adapter/arenas.h"
#include "tbb_ext/adapter/attendant.h"
#include "tbb_ext/adapter/calling.h"
#include "tbb_ext/adapter/limit.h"
#include "tbb_ext/adapter/numbers.h"
#include "tbb_ext/adapter/runtime.h"
#include "tbb_ext/hooks.h"

namespace weir::tbb {
namespace {

const weir_tbb_machine* machine = nullptr;

void come() {
  weir_place_enter(WEIR_TBB_PLACE);
  machine->comes_inside();
  machine->coming();
}
void go() {
  machine->going();
  machine->goes_outside();
  weir_place_leave(WEIR_TBB_PLACE);
}

// A thread of the program while it is in libtbb.
class Inside {
 public:
  explicit Inside(const void* site) : site_(site), begun_(machine->begins(site)) {
    ++threads_inside;
    come();
  }
  ~Inside() {
    go();
    --threads_inside;
    machine->ends(site_, begun_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const void* site_;
  std::uint64_t begun_;
};

struct Wait {
  Wait() { begins_to_wait(); }
  ~Wait() { has_waited(); }
};

void within_task(weir_tbb_entry entry, void* a, void* b, void* c, void* d) {
  Wait wait;
  entry(a, b, c, d);
}

void within(const void* site, weir_tbb_entry entry, void* a, void* b, void* c, void* d) {
  relax_limit();
  Inside inside(site);
  within_task(entry, a, b, c, d);
}

void control_stands(std::int64_t threads) {
  if (threads == 1) call_workers();
}

const weir_tbb_adapter adapter = {within,       within_task,  control_comes, control_stands,         control_went, has_controls,
                                  lower_limit,  number_of,    await_number,  program_makes_observer, spare_number, raise_limit,
                                  one_blocks_alone, break_stall};

}  // namespace
}  // namespace weir::tbb

extern "C" __attribute__((visibility("default"))) const weir_tbb_adapter* weir_tbb_attach(const weir_tbb_machine* of) {
  using namespace weir::tbb;
  machine = of;
  set_caps(of->guards_are_free, weir_setting_number("WEIR_MAX_SUSPENDED"));
  if (of->execution_slot) execution_slot = of->execution_slot;
  if (of->max_concurrency) max_concurrency = of->max_concurrency;
  stack_expected = of->stack_expected;
  stack_came = of->stack_came;
  one_at_a_time = of->one_at_a_time;
  keeps_errno = of->keeps_errno;
  in_openmp_too = of->in_openmp_too;
  holds_lock = of->holds_lock;
  on_waiting = of->waited;
  on_set_aside = of->set_aside;
  on_going_on = of->goes_on;
  on_ready = of->ready;
  on_attending = come;
  on_leaving = go;
  std::atexit(of->leaving);
  threads_inside.store(0);
  register_runtime();
  begin_limit(*of);
  return &adapter;
}
