// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of LLVM's OpenMP run time that compilers are bound to, and so are we: no private structure is looked at.
namespace weir::omp {

struct Ident;  // a place in the source; opaque

union TaskData {
  std::int32_t priority;
  std::int32_t (*destructors)(std::int32_t gtid, void* task);
};

// kmp_task_t: the compiler lays out the task's private variables behind it.
struct KmpTask {
  void* shareds;
  std::int32_t (*routine)(std::int32_t gtid, KmpTask* task);
  std::int32_t part_id;
  TaskData data1;  // destructors
  TaskData data2;  // priority
};
static_assert(sizeof(KmpTask) == 40);

using Routine = std::int32_t (*)(std::int32_t gtid, KmpTask* task);
using TaskDuplicate = void (*)(KmpTask* to, KmpTask* from, std::int32_t last);
using Microtask = void (*)(std::int32_t* gtid, std::int32_t* tid, ...);

// How a loop's pieces are handed out, and what may be added to that.
enum Schedule : std::int32_t {
  of_static_chunks = 33,
  of_static = 34,
  of_dynamic = 35,
  of_guided = 36,
  of_runtime = 37,
  of_auto = 38,
  of_ordered = 32,  // to be added to one of these
  monotonic = 1 << 29,
  modifiers = 3 << 29,
};

// Bits of __kmpc_omp_task_alloc's flags.
enum : std::int32_t {
  flag_tied = 0x1,
  flag_final = 0x2,
  flag_merged_if0 = 0x4,
  flag_destructors = 0x8,
  flag_proxy = 0x10,
  flag_priority = 0x20,
  flag_detachable = 0x40,
  flag_hidden_helper = 0x80,
};

struct Depend {
  void* base;
  std::size_t length;
  std::uint8_t flags;  // 1 in, 2 out, 3 inout, 4 mutexinoutset, 8 inoutset
};

// The next definition of each name after ours: libomp's.
struct Libomp {
  bool present;  // all that setting tasks aside needs was found

  std::int32_t (*global_thread_num)(Ident*);
  void (*fork_call)(Ident*, std::int32_t argc, Microtask, ...);
  void (*serialized_parallel)(Ident*, std::int32_t gtid);
  void (*end_serialized_parallel)(Ident*, std::int32_t gtid);
  void (*barrier)(Ident*, std::int32_t gtid);
  KmpTask* (*task_alloc)(Ident*, std::int32_t gtid, std::int32_t flags, std::size_t task_bytes,
                         std::size_t shareds_bytes, Routine);
  std::int32_t (*task)(Ident*, std::int32_t gtid, KmpTask*);
  std::int32_t (*task_with_deps)(Ident*, std::int32_t gtid, KmpTask*, std::int32_t, Depend*, std::int32_t, Depend*);
  void (*task_begin_if0)(Ident*, std::int32_t gtid, KmpTask*);
  void (*task_complete_if0)(Ident*, std::int32_t gtid, KmpTask*);
  std::int32_t (*taskwait)(Ident*, std::int32_t gtid);
  std::int32_t (*taskyield)(Ident*, std::int32_t gtid, int end_part);
  void (*taskgroup)(Ident*, std::int32_t gtid);
  void (*end_taskgroup)(Ident*, std::int32_t gtid);
  int (*num_threads)();
  int (*cancellation)();
  std::size_t (*stack_bytes)();
  int (*blocktime_ms)();  // how long a thread without work spins
};

// Looks the names up once; libomp may also have come by dlopen. Safe in any thread.
const Libomp& libomp();

}  // namespace weir::omp

#define WEIR_INTERPOSED extern "C" __attribute__((visibility("default")))
