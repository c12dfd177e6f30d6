// SPDX-License-Identifier: Apache-2.0
// Where parallel regions begin and end.
#include <atomic>
#include <cstdarg>

#include "lane/runtime_code.h"
#include "omp_ext/call_words.h"
#include "omp_ext/next.h"
#include "omp_ext/region_within.h"
#include "omp_ext/task_region.h"
#include "omp_ext/team.h"

namespace weir::omp {
namespace {

constinit Next<void(Ident*, std::int32_t, Microtask, ...)> next_fork_call{"__kmpc_fork_call"};
constinit Next<void(Ident*, std::int32_t)> next_serialized_parallel{"__kmpc_serialized_parallel"};
constinit Next<void(Ident*, std::int32_t)> next_end_serialized_parallel{"__kmpc_end_serialized_parallel"};
constinit Next<void(Ident*, std::int32_t, Microtask, ...)> next_fork_teams{"__kmpc_fork_teams"};

template <typename T>
void* as_word(T value) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(value));
}

// A thread of the team.
void microtask(std::int32_t* gtid, std::int32_t* tid, Region* region) {
  bool entered = enter(*region, *gtid);
  auto* words = static_cast<void**>(__builtin_alloca((region->argument_count + 8) * sizeof(void*)));
  words[0] = gtid;
  words[1] = tid;
  for (int i = 0; i < region->argument_count; ++i) words[2 + i] = region->arguments[i];
  weir_call_words(reinterpret_cast<const void*>(region->code), words, 2 + region->argument_count);
  if (!entered) return left_outside();
  if (Member* member = member_here()) settle(*member);
  leave();
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

// libomp's own function, once there is nothing to be done around regions.
extern "C" {
__attribute__((visibility("hidden"))) constinit std::atomic<void*> weir_fork_call_alone{nullptr};
__attribute__((visibility("hidden"), used)) void weir_fork_call(Ident* place, std::int32_t count, Microtask code, ...);
}

// How many arguments follow only the call knows: what goes straight on leaves them where they are.
asm(R"(
        .text
        .p2align 4
        .globl  __kmpc_fork_call
        .type   __kmpc_fork_call, @function
__kmpc_fork_call:
        .cfi_startproc
        endbr64
        movq    weir_fork_call_alone(%rip), %r11
        testq   %r11, %r11
        jz      weir_fork_call
        jmp     *%r11
        .cfi_endproc
        .size   __kmpc_fork_call, .-__kmpc_fork_call
)");

void weir_fork_call(Ident* place, std::int32_t count, Microtask code, ...) {
  auto** words = static_cast<void**>(__builtin_alloca((count + 9) * sizeof(void*)));
  words[0] = place;
  words[1] = as_word(count);
  words[2] = reinterpret_cast<void*>(code);
  std::va_list list;
  va_start(list, code);
  for (int i = 0; i < count; ++i) words[3 + i] = va_arg(list, void*);
  va_end(list);
  come_to_ground();

  // The helpers that libomp keeps for itself (target nowait): it counts on as many as it asked for.
  if (weir::lane::is_runtime_code(reinterpret_cast<const void*>(code)))
    return weir_call_words(reinterpret_cast<const void*>(next_fork_call.get()), words, 3 + count);
  constexpr int which_thread = 2;  // so many arguments say that, before these
  const weir::lane::Beginning beginning{reinterpret_cast<const std::uintptr_t*>(words + 3), count, which_thread};
  before_fork(reinterpret_cast<const void*>(code), beginning, Compiler::clang);
  {
    RegionWithin within(innermost_member());
    if (regions_wanted() && !sets_nothing_aside(reinterpret_cast<const void*>(code))) {
      Region region;
      region.code = code;
      region.argument_count = count;
      region.arguments = words + 3;
      next_fork_call.get()(place, 1, reinterpret_cast<Microtask>(microtask), &region);
    } else {
      within.is_left_to_libomp();
      weir_call_words(reinterpret_cast<const void*>(next_fork_call.get()), words, 3 + count);
    }
  }
  after_fork(reinterpret_cast<const void*>(code));
  if (leaves_forks_alone()) weir_fork_call_alone.store(reinterpret_cast<void*>(next_fork_call.get()), std::memory_order_relaxed);
}

// A region of one thread that has no function of its own: its tasks run where they are created.
WEIR_INTERPOSED void __kmpc_serialized_parallel(Ident* place, std::int32_t gtid) {
  gtid = at_home(gtid);
  come_to_ground();
  begin_serialized(innermost_member());
  weir::team::not_sized_after_all();  // num_threads(n) if(0)
  next_serialized_parallel(place, gtid);
}

WEIR_INTERPOSED void __kmpc_end_serialized_parallel(Ident* place, std::int32_t gtid) {
  next_end_serialized_parallel(place, gtid);
  end_serialized(innermost_member());
}

WEIR_INTERPOSED void __kmpc_fork_teams(Ident* place, std::int32_t count, Microtask code, ...) {
  auto** words = static_cast<void**>(__builtin_alloca((count + 9) * sizeof(void*)));
  words[0] = place;
  words[1] = as_word(count);
  words[2] = reinterpret_cast<void*>(code);
  std::va_list list;
  va_start(list, code);
  for (int i = 0; i < count; ++i) words[3 + i] = va_arg(list, void*);
  va_end(list);
  RegionWithin within(innermost_member());
  within.is_left_to_libomp();
  weir_call_words(reinterpret_cast<const void*>(next_fork_teams.get()), words, 3 + count);
}
