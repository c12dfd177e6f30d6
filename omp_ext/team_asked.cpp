// SPDX-License-Identifier: Apache-2.0
// What a program asks or says about the sizes of its teams.
#include "base/thread.h"
#include "omp_ext/next.h"
#include "omp_ext/task.h"
#include "omp_ext/team.h"
#include "omp_ext/team_plan.h"
#include "omp_ext/team_written.h"

#define caller() reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir::team;
using weir::omp::Next;

namespace {

constinit Next<int()> real_get_max_threads("omp_get_max_threads");
constinit Next<int()> real_get_num_threads("omp_get_num_threads");
constinit Next<void(int)> real_set_num_threads("omp_set_num_threads");
constinit Next<void(const int*)> real_set_num_threads_f("omp_set_num_threads_");
constinit Next<int()> real_get_dynamic("omp_get_dynamic");
constinit Next<void(int)> real_set_dynamic("omp_set_dynamic");
constinit Next<void(const int*)> real_set_dynamic_f("omp_set_dynamic_");
constinit Next<void(void*, int, int)> real_push_num_threads("__kmpc_push_num_threads");
constinit Next<void(void*, int, int, int, const char*)> real_push_strict("__kmpc_push_num_threads_strict");
constinit Next<void(void*, int, unsigned, int*)> real_push_list("__kmpc_push_num_threads_list");
constinit Next<void(void*, int, unsigned, int*, int, const char*)> real_push_list_strict("__kmpc_push_num_threads_list_strict");
constinit Next<void(void*, int, int)> real_push_proc_bind("__kmpc_push_proc_bind");

// Without an OpenMP runtime (a library asks for these names weakly) the answers are those of one thread.
int max_threads_told(std::uintptr_t returns_to) {
  if (!real_get_max_threads.get()) return 1;
  int without_weir = real_get_max_threads.get()(), with_weir = max_threads(without_weir);  // which looks at the program first
  return is_written(returns_to) ? without_weir : with_weir;
}
int num_threads_told(std::uintptr_t returns_to) {
  int threads = real_get_num_threads.get() ? real_get_num_threads.get()() : 1;
  return any_written() && is_written(returns_to) ? num_threads_without_us(threads) : threads;
}

// Said again what holds already (0, mostly), it changes nothing.
void told_dynamic(int dynamic) {
  if ((dynamic != 0) != (real_get_dynamic.get() && real_get_dynamic.get()() != 0))
    keep_out("the program calls omp_set_dynamic");
}

}  // namespace

WEIR_EXPORT int omp_get_max_threads() { return max_threads_told(caller()); }
WEIR_EXPORT int omp_get_max_threads_() { return max_threads_told(caller()); }
WEIR_EXPORT int omp_get_num_threads() { return num_threads_told(caller()); }
WEIR_EXPORT int omp_get_num_threads_() { return num_threads_told(caller()); }

WEIR_EXPORT void omp_set_num_threads(int threads) {
  if (says_what_it_was_told(threads)) return;
  sized_for_good("the program calls omp_set_num_threads");
  if (real_set_num_threads.get()) real_set_num_threads.get()(threads);
}
WEIR_EXPORT void omp_set_num_threads_(const int* threads) {
  if (says_what_it_was_told(*threads)) return;
  sized_for_good("the program calls omp_set_num_threads");
  if (real_set_num_threads_f.get()) real_set_num_threads_f.get()(threads);
}
WEIR_EXPORT void omp_set_dynamic(int dynamic) {
  told_dynamic(dynamic);
  if (real_set_dynamic.get()) real_set_dynamic.get()(dynamic);
}
WEIR_EXPORT void omp_set_dynamic_(const int* dynamic) {
  told_dynamic(*dynamic);
  if (real_set_dynamic_f.get()) real_set_dynamic_f.get()(dynamic);
}

// num_threads, in code by clang. These come right before the fork they are for, on the thread that forks.
WEIR_EXPORT void __kmpc_push_num_threads(void* location, int thread, int threads) {
  thread = weir::omp::at_home(thread);
  sized_by_program(threads, Asked::by_number);
  if (real_push_num_threads.get()) real_push_num_threads.get()(location, thread, threads);
}
WEIR_EXPORT void __kmpc_push_num_threads_strict(void* location, int thread, int threads, int severity, const char* message) {
  thread = weir::omp::at_home(thread);
  sized_by_program(threads, Asked::exactly);
  if (real_push_strict.get()) real_push_strict.get()(location, thread, threads, severity, message);
}
WEIR_EXPORT void __kmpc_push_num_threads_list(void* location, int thread, unsigned count, int* threads) {
  thread = weir::omp::at_home(thread);
  sized_by_program(count ? threads[0] : 0, Asked::exactly);
  if (real_push_list.get()) real_push_list.get()(location, thread, count, threads);
}
WEIR_EXPORT void __kmpc_push_num_threads_list_strict(void* location, int thread, unsigned count, int* threads,
                                                     int severity, const char* message) {
  thread = weir::omp::at_home(thread);
  sized_by_program(count ? threads[0] : 0, Asked::exactly);
  if (real_push_list_strict.get()) real_push_list_strict.get()(location, thread, count, threads, severity, message);
}

// proc_bind: which thread is where depends on how many there are.
WEIR_EXPORT void __kmpc_push_proc_bind(void* location, int thread, int kind) {
  thread = weir::omp::at_home(thread);
  sized_by_program(weir::base::self().seat.threads_asked, Asked::exactly);
  if (real_push_proc_bind.get()) real_push_proc_bind.get()(location, thread, kind);
}
