// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/names.h"
#include "omp_ext/region_code.h"

namespace weir::team {

using base::among;
using base::starts;

namespace {

// Those that bring something in, or wait: what is only written is buffered, by libc or the kernel.
constexpr const char* waits[] = {
    "read", "pread", "pread64", "readv", "preadv", "preadv64", "preadv2", "preadv64v2", "__read_chk", "__pread_chk",
    "__pread64_chk", "sendfile", "sendfile64", "fread", "fread_unlocked", "__fread_chk", "fgets", "__fgets_chk", "fgetc",
    "getc", "getline", "getdelim", "__getdelim", "fscanf", "__isoc99_fscanf", "__isoc23_fscanf", "fsync", "fdatasync",
    "sync_file_range", "msync", "copy_file_range", "splice", "_gfortran_st_read"};

// Those that wait for time to pass, or for somebody at the other end. (A timer's descriptor is read.)
constexpr const char* waits_for_others[] = {
    "recv", "recvfrom", "recvmsg", "recvmmsg", "__recv_chk", "__recvfrom_chk", "send", "sendto", "sendmsg", "accept",
    "accept4", "connect", "poll", "ppoll", "__poll_chk", "select", "pselect", "epoll_wait", "epoll_pwait", "nanosleep",
    "clock_nanosleep", "usleep", "sleep", "timerfd_settime", "weir_recv", "weir_poll", "weir_sleep", "weir_accept",
    "weir_connect"};

// Starts of names: weir's own calls, and what libstdc++ reads with.
constexpr const char* waits_starts[] = {"weir_read", "weir_pread", "weir_recv", "weir_poll", "weir_sleep", "weir_accept",
                                        "weir_connect", "weir_fsync", "_ZNSi", "_ZSt7getline", "_ZStrsI",
                                        "_ZNSt13basic_filebuf", "_ZNSt14basic_ifstream", "_ZNSt13basic_fstream"};

constexpr const char* barriers[] = {"__kmpc_barrier", "__kmpc_cancel_barrier", "GOMP_barrier", "GOMP_barrier_cancel",
                                    "GOMP_loop_end", "GOMP_loop_end_cancel", "GOMP_sections_end", "GOMP_sections_end_cancel",
                                    "__kmpc_copyprivate", "GOMP_single_copy_start"};

constexpr const char* waits_for_passes[] = {"__kmpc_doacross_wait", "GOMP_doacross_wait", "GOMP_doacross_ull_wait"};

// Starts of names: loops, sections, single, masked; and the number by which a program, or gcc's static loop, shares out. (How many threads there
// are tells none of them which part is his.)
constexpr const char* shares_starts[] = {"__kmpc_for_static_init", "__kmpc_dispatch", "__kmpc_dist", "__kmpc_single", "__kmpc_master", "__kmpc_masked",
                                         "__kmpc_next_section", "__kmpc_sections", "GOMP_loop_", "GOMP_sections", "GOMP_single_",
                                         "GOMP_doacross_", "omp_get_thread_num"};

// (gcc's masked asks which thread it is; its static loop also, of how many.)
constexpr const char* one_starts[] = {"__kmpc_single", "__kmpc_master", "__kmpc_masked", "GOMP_single_", "omp_get_thread_num"};

constexpr const char* takes[] = {"omp_test_lock", "omp_test_lock_", "omp_test_nest_lock", "omp_test_nest_lock_", "pthread_mutex_trylock",
                                 "pthread_mutex_timedlock", "pthread_spin_trylock", "pthread_rwlock_wrlock", "sem_wait", "sem_trywait",
                                 "sem_timedwait", "accept", "accept4", "weir_accept", "mq_receive", "msgrcv"};

// Who calls these waits until nobody else has it, and has it then, up to a call of those below.
constexpr const char* locking[] = {"__kmpc_critical", "__kmpc_critical_with_hint", "GOMP_critical_start", "GOMP_critical_name_start",
                                   "omp_set_lock", "omp_set_lock_", "omp_set_nest_lock", "omp_set_nest_lock_", "pthread_mutex_lock",
                                   "pthread_spin_lock", "mtx_lock"};
constexpr const char* unlocking[] = {"__kmpc_end_critical", "GOMP_critical_end", "GOMP_critical_name_end", "omp_unset_lock", "omp_unset_lock_",
                                     "omp_unset_nest_lock", "omp_unset_nest_lock_", "pthread_mutex_unlock", "pthread_spin_unlock",
                                     "mtx_unlock"};

// Starts of names. What of OpenMP waits for other threads of the team does so in libomp, with us or without.
constexpr const char* ends_at_once_starts[] = {"__kmpc_", "GOMP_", "omp_", "mem", "_Zn", "_Zd", "__cxa_", "_Unwind_",
                                               "__gxx_personality", "_ZSt9terminate"};
constexpr const char* ending_at_once[] = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign",
                                          "__stack_chk_fail", "abort"};

}  // namespace

bool is_fork(const char* name) {
  return starts(name, "__kmpc_fork_call") || (starts(name, "GOMP_parallel") && std::strcmp(name, "GOMP_parallel_end"));
}

NameKind kind_of_name(const char* name) {
  if (is_fork(name)) return NameKind::forks;
  if (starts(name, "__kmpc_omp_task_alloc") || starts(name, "GOMP_task")) {
    bool waits_or_groups = starts(name, "GOMP_taskwait") || starts(name, "GOMP_taskgroup") || starts(name, "GOMP_taskyield");
    return waits_or_groups ? NameKind::other : NameKind::makes_tasks;
  }
  if (among(name, barriers)) return NameKind::barrier;
  if (among(name, waits_for_passes)) return NameKind::waits_for_passes;
  if (among(name, waits_for_others)) return NameKind::waits_for_others;
  if (among(name, waits)) return NameKind::waits;
  return base::starts_with_one(name, waits_starts) ? NameKind::waits : NameKind::other;
}

bool shares_out(const char* name) { return base::starts_with_one(name, shares_starts); }

bool lets_one_in(const char* name) { return base::starts_with_one(name, one_starts); }

bool takes_one(const char* name) { return locks(name) || among(name, takes); }

bool locks(const char* name) { return among(name, locking); }

bool unlocks(const char* name) { return among(name, unlocking); }

bool ends_at_once(const char* name) {
  return base::starts_with_one(name, ends_at_once_starts) || among(name, ending_at_once) || (starts(name, "_ZSt") && std::strstr(name, "__throw_"));
}

}  // namespace weir::team
