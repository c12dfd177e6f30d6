// SPDX-License-Identifier: Apache-2.0
#include "pool/pool.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/list.h"
#include "base/thread.h"
#include "fiber/fiber.h"
#include "pool/deque.h"
#include "pool/watch.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/idle.h"
#include "sys/lock.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "sys/threads.h"
#include "sys/wakes.h"

namespace weir::pool {
namespace {

constexpr int most_workers = 256;

struct Context;

struct ContextWaiter : weir_waiter {
  Context* context = nullptr;
};

struct Context : base::Link {
  fiber::Fiber fiber;
  ContextWaiter waiter;
  weir_start_fn start = nullptr;  // set: the task in it waits to be set aside
  void* argument = nullptr;
  std::int32_t lock_depth = 0;
  std::int32_t plain_locks = 0;
};

struct Worker {
  Deque<weir_task> tasks;
  Context* current = nullptr;
  std::uint32_t dice = 1;
  int looks = 0;  // in vain, for a stack
  bool without_stack = false;  // runs a task on its thread's own
  std::atomic<bool> has_place{false};  // without, another serves in its place: it waits for one when it is back in its hub
  // For who looks whether it blocks. The turns are what it began or went on with.
  std::atomic<std::int32_t> tid{0};
  std::atomic<std::uint32_t> turns{0};
  std::uint32_t turns_seen = 0;  // by the watch

  void takes_turn() { turns.store(turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

// What all workers share. The two queues are short-lived holdings under one lock; the counts let everyone pass by
// without taking it. Whoever wakes a task does so without: it has other tasks to wake, and may share a core with the worker
// that was just put off it, lock in hand.
struct Shared {
  sys::Lock lock;
  weir_task* first = nullptr;
  weir_task* last = nullptr;
  base::Inbox woken;
  base::Queue ready;  // those of `woken` that a worker took over, in their order
  Context* idle = nullptr;
  std::atomic<int> ready_count{0};
  std::atomic<int> task_count{0};
  std::atomic<int> stacks_out{0};  // of tasks that run or are set aside
  std::atomic<int> stackless{0};   // tasks on a thread's own

  // As many workers serve as have a place. Under the lock.
  int free_places = 0;
  int spares = 0;  // workers that wait for a place, or will
  std::atomic<std::uint32_t> place_epoch{0};

  // Sleeping: a worker announces itself, looks once more, then waits for the epoch to change.
  std::atomic<std::uint32_t> epoch{0};
  std::atomic<int> sleepers{0};
  std::atomic<bool> waking{false};
};

constinit Shared shared;
constinit fiber::StackPool stacks;
constinit std::atomic<int> worker_count{0};
constinit std::atomic<Worker*> workers[most_workers];
constinit std::atomic<int> wanted_workers{0};
constinit sys::Lock growing;  // worker_count
constinit Watch watch;
// Of signals: as whoever started the pool had it. The watch, which has all blocked, starts workers too.
constinit std::uint64_t worker_mask = 0;
constinit std::atomic<std::uint32_t> start_state{0};  // 0 not yet, 1 under way, 2 done

Worker* me() { return static_cast<Worker*>(base::self().pool); }

// After something was pushed (seq_cst): wakes one sleeper, unless one is on its way already; it wakes the next.
void notify() {
  if (shared.sleepers.load(std::memory_order_seq_cst) == 0) return;
  if (shared.waking.exchange(true, std::memory_order_seq_cst)) return;
  shared.epoch.fetch_add(1, std::memory_order_seq_cst);
  sys::wake_soon(shared.epoch, 1, sys::Sleeper::idles);
}

void push_shared(weir_task* task) {
  sys::LockScope locked(shared.lock);
  task->next = nullptr;
  if (shared.last) shared.last->next = task;
  else shared.first = task;
  shared.last = task;
  shared.task_count.fetch_add(1, std::memory_order_seq_cst);
}

weir_task* pop_shared() {
  if (shared.task_count.load(std::memory_order_relaxed) == 0) return nullptr;
  sys::LockScope locked(shared.lock);
  weir_task* task = shared.first;
  if (!task) return nullptr;
  shared.first = task->next;
  if (!shared.first) shared.last = nullptr;
  shared.task_count.fetch_sub(1, std::memory_order_relaxed);
  return task;
}

// seq_cst: see sleep_a_while().
bool any_ready() { return shared.ready_count.load(std::memory_order_seq_cst) || !shared.woken.empty(); }

// Under the lock.
void take_woken_over() {
  int count = 0;
  for (base::Link* link = shared.woken.take_all(); link; ++count) {
    base::Link* next = link->next;
    shared.ready.push(link);
    link = next;
  }
  if (count) shared.ready_count.fetch_add(count, std::memory_order_seq_cst);
}

// Of hundreds that take turns, each has lost its place in the nearest caches by the time it goes on. The next one is fetched
// while this one runs, and the record of the one after, which says where its stack lies.
void fetch_next() {
  auto* next = static_cast<Context*>(shared.ready.first());
  if (!next) return;
  next->fiber.fetch();
  if (next->next) fiber::fetch(static_cast<Context*>(next->next), sizeof(Context));
}

Context* pop_ready() {
  if (!any_ready()) return nullptr;
  sys::LockScope locked(shared.lock);
  if (!shared.woken.empty()) take_woken_over();
  auto* context = static_cast<Context*>(shared.ready.pop());
  if (context) shared.ready_count.fetch_sub(1, std::memory_order_relaxed);
  fetch_next();
  return context;
}

weir_task* steal(Worker& thief) {
  int count = worker_count.load(std::memory_order_acquire);
  if (!count) return nullptr;
  thief.dice = thief.dice * 1664525u + 1013904223u;
  int first = static_cast<int>((thief.dice >> 8) % static_cast<std::uint32_t>(count));
  for (int i = 0; i < count; ++i) {
    Worker* victim = workers[(first + i) % count].load(std::memory_order_acquire);
    if (!victim || victim == &thief) continue;
    if (weir_task* task = victim->tasks.steal()) return task;
  }
  return nullptr;
}

weir_task* next_task(Worker& worker) {
  if (weir_task* task = worker.tasks.pop()) return task;
  if (weir_task* task = pop_shared()) return task;
  return steal(worker);
}

bool anything_to_do() {
  if (any_ready() || shared.task_count.load(std::memory_order_seq_cst)) return true;
  int count = worker_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    Worker* worker = workers[i].load(std::memory_order_acquire);
    if (worker && !worker->tasks.empty()) return true;
  }
  return false;
}

// A context's life: task after task. It ends up set aside inside a task, or in leave() here, idle.
void run_tasks(void* context_) {
  auto* context = static_cast<Context*>(context_);
  while (true) {
    // Asked anew each time: a task may have gone on on another worker.
    Worker* worker = me();
    if (!worker) exit(0);  // a child, forked by the task that is over: as a thread that ends, its only one
    bool to_hub = any_ready() || !worker->has_place.load(std::memory_order_relaxed);
    weir_task* task = to_hub ? nullptr : next_task(*worker);
    if (!task) {
      context->fiber.leave();
      continue;
    }
    worker->takes_turn();
    task->run(task);
  }
}

// On top of its stack, on the page that is in use in any case: a switch touches one page less. It stays there for good.
Context* make_context() {
  fiber::Stack* stack = stacks.take();
  if (!stack) return nullptr;
  constexpr std::size_t line = 64;
  stack->high -= (sizeof(Context) + line - 1) / line * line;
  auto* context = new (stack->high) Context;
  context->fiber.prepare(stack, run_tasks, context);
  return context;
}

Context* idle_context() {
  {
    sys::LockScope locked(shared.lock);
    if (Context* context = shared.idle) {
      shared.idle = static_cast<Context*>(context->next);
      shared.stacks_out.fetch_add(1, std::memory_order_relaxed);
      return context;
    }
  }
  Context* context = make_context();
  if (context) shared.stacks_out.fetch_add(1, std::memory_order_relaxed);
  return context;
}

void keep_idle(Context* context) {
  shared.stacks_out.fetch_sub(1, std::memory_order_relaxed);
  sys::LockScope locked(shared.lock);
  context->next = shared.idle;
  shared.idle = context;
}

void enter(Worker& worker, Context* context) {
  worker.current = context;
  context->fiber.enter();
  worker.current = nullptr;
  weir_start_fn start = context->start;
  if (!start) return keep_idle(context);
  context->start = nullptr;
  start(context->argument, &context->waiter);  // from here on it may run on another worker
}

// The order matters: the epoch is read first, and "somebody is being woken" is taken back before the last look. A notify()
// after that look then wakes in any case: it finds the flag down and changes the epoch that we wait on. (Taken back only
// after waking, the flag stays up for ever when the one wake came between reading the epoch and waiting on it.)
void sleep_a_while() {
  std::uint32_t epoch = shared.epoch.load(std::memory_order_seq_cst);
  shared.sleepers.fetch_add(1, std::memory_order_seq_cst);
  shared.waking.store(false, std::memory_order_seq_cst);
  if (!anything_to_do()) {
    sys::Idle idle;
    sys::futex_wait(shared.epoch, epoch);
  }
  shared.sleepers.fetch_sub(1, std::memory_order_seq_cst);
  shared.waking.store(false, std::memory_order_seq_cst);
}

// What is awaited here is often a short task that another worker has in hand: falling asleep and being woken costs many
// times what it takes. About 2 us.
bool something_comes_soon() {
  constexpr int looks = 50;
  for (int i = 0; i < looks; ++i) {
    if (anything_to_do()) return true;
    __builtin_ia32_pause();
  }
  return false;
}

void hub(void* worker);

// The Worker of an index is never unmapped: another may be looking for tasks in it.
bool start_worker() {
  sys::LockScope locked(growing);
  int index = worker_count.load(std::memory_order_relaxed);
  if (index == most_workers) return false;
  Worker* worker = workers[index].load(std::memory_order_relaxed);
  if (!worker) {
    Result memory = sys::raw(SYS_mmap, 0, sizeof(Worker), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (failed(memory)) return false;
    worker = new (reinterpret_cast<void*>(memory)) Worker;
    worker->dice = static_cast<std::uint32_t>(index) * 2654435761u + 1;
    workers[index].store(worker, std::memory_order_release);
  }
  worker_count.store(index + 1, std::memory_order_release);
  if (!sys::start_program_thread(hub, worker, "weir-worker", stacks.bytes())) return true;
  worker_count.store(index, std::memory_order_release);
  return false;
}

// To a worker that waits for one, or to a new one.
bool give_place() {
  bool one_more;
  {
    sys::LockScope locked(shared.lock);
    one_more = ++shared.free_places > shared.spares;
    if (one_more) ++shared.spares;
  }
  if (!one_more) {
    shared.place_epoch.fetch_add(1, std::memory_order_release);
    sys::futex_wake(shared.place_epoch);
    return true;
  }
  if (start_worker()) return true;
  sys::LockScope locked(shared.lock);
  --shared.spares;
  return false;
}

void give_place_away(Worker& worker) {
  if (worker.has_place.exchange(false, std::memory_order_relaxed)) give_place();
}

// By one of the spares.
void take_place(Worker& worker) {
  while (true) {
    std::uint32_t epoch = shared.place_epoch.load(std::memory_order_acquire);
    {
      sys::LockScope locked(shared.lock);
      if (shared.free_places > 0) {
        --shared.free_places;
        --shared.spares;
        worker.takes_turn();
        worker.has_place.store(true, std::memory_order_release);
        return;
      }
    }
    sys::futex_wait(shared.place_epoch, epoch);
  }
}

void wait_for_place(Worker& worker) {
  if (anything_to_do()) notify();  // it may be the one that was woken for it
  {
    sys::LockScope locked(shared.lock);
    ++shared.spares;
  }
  take_place(worker);
}

// There is no memory for one more stack. Those that are out come back when their tasks are over, which may be waiting for
// the next one to run: so after a while, or at once where none is out, that one has the thread's own stack. Its calls block
// the thread, and another worker serves meanwhile.
void without_stack(Worker& worker) {
  constexpr int patience = 10;
  if (shared.stacks_out.load(std::memory_order_relaxed) && worker.looks++ < patience) {
    sys::sleep_ns(base::ns_per_ms);
    return;
  }
  worker.looks = 0;
  shared.stackless.fetch_add(1, std::memory_order_relaxed);
  weir_task* task = next_task(worker);
  if (task) {
    give_place_away(worker);
    worker.without_stack = true;
    task->run(task);
    if (!me()) exit(0);  // as in run_tasks()
    worker.without_stack = false;
  }
  shared.stackless.fetch_sub(1, std::memory_order_release);
}

// A task has left by pthread_exit: all of its frames are gone, and this thread will be. Another takes over from it.
void thread_ends(void* worker_) {
  auto& worker = *static_cast<Worker*>(worker_);
  base::Thread& thread = base::self();
  if (thread.pool != &worker) return;  // in a child that the task forked
  thread.pool = nullptr;
  thread.place &= ~base::in_own_worker;
  if (Context* context = std::exchange(worker.current, nullptr)) {
    context->fiber.prepare(context->fiber.stack(), run_tasks, context);
    keep_idle(context);
  }
  if (std::exchange(worker.without_stack, false)) shared.stackless.fetch_sub(1, std::memory_order_release);
  {
    sys::LockScope locked(shared.lock);
    if (worker.has_place.exchange(false, std::memory_order_relaxed)) ++shared.free_places;
    ++shared.spares;
  }
  if (!sys::start_program_thread(hub, &worker, "weir-worker", stacks.bytes())) return;
  {
    sys::LockScope locked(shared.lock);
    --shared.spares;
  }
  shared.place_epoch.fetch_add(1, std::memory_order_release);
  sys::futex_wake(shared.place_epoch);
}

void serve(Worker& worker);

void hub(void* worker_) {
  auto& worker = *static_cast<Worker*>(worker_);
  base::Thread& thread = base::self();
  thread.pool = &worker;
  thread.place |= base::in_own_worker;
  worker.tid.store(sys::thread_id(), std::memory_order_relaxed);
  sys::raw(SYS_rt_sigprocmask, SIG_SETMASK, sys::word(&worker_mask), 0, sizeof worker_mask);
  pthread_cleanup_push(thread_ends, worker_);
  serve(worker);
  pthread_cleanup_pop(0);
}

void serve(Worker& worker) {
  take_place(worker);
  while (true) {
    if (!worker.has_place.load(std::memory_order_relaxed)) wait_for_place(worker);
    Context* context = pop_ready();
    if (!context && !something_comes_soon()) {
      sleep_a_while();
      watch.stir();
      continue;
    }
    if (!context) context = idle_context();
    if (!context) {
      without_stack(worker);
      continue;
    }
    worker.looks = 0;
    if (anything_to_do()) notify();  // who was woken wakes the next
    worker.takes_turn();
    enter(worker, context);
  }
}

// In the kernel, for whatever there is.
bool blocks(const Worker& worker) {
  char state = sys::state_of(worker.tid.load(std::memory_order_relaxed)).state;
  return state == 'S' || state == 'D';
}

template <typename Visit>
void each_in_place(Visit visit) {
  int count = worker_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    Worker* worker = workers[i].load(std::memory_order_acquire);
    if (worker && worker->has_place.load(std::memory_order_acquire)) visit(*worker);
  }
}

Watch::Found look_at_workers() {
  int serving = 0, moved = 0, blocked = 0;
  each_in_place([&](Worker& worker) {
    std::uint32_t turns = worker.turns.load(std::memory_order_relaxed);
    ++serving;
    moved += turns != worker.turns_seen;
    worker.turns_seen = turns;
  });
  int sleepers = shared.sleepers.load(std::memory_order_seq_cst);
  if (serving && sleepers >= serving) return Watch::Found::idle;
  if (moved) return Watch::Found::moving;
  if (sleepers || !anything_to_do()) return Watch::Found::quiet;
  each_in_place([&](const Worker& worker) { blocked += blocks(worker); });
  return blocked < serving ? Watch::Found::moving : Watch::Found::stuck;
}

int refuses() {
  Worker* worker = me();
  return worker && worker->current ? 0 : WEIR_REFUSED_NOT_A_TASK;
}

int suspend(weir_start_fn start, void* argument) {
  Context* context = me()->current;
  base::Thread& here = base::self();
  context->lock_depth = here.lock_depth;
  here.lock_depth = 0;
  context->plain_locks = here.plain_locks;
  here.plain_locks = 0;
  context->start = start;
  context->argument = argument;
  context->waiter.context = context;
  context->waiter.wake = [](weir_waiter* waiter) {
    shared.woken.push(static_cast<ContextWaiter*>(waiter)->context);
    notify();
  };
  context->fiber.leave();
  base::self().lock_depth = context->lock_depth;
  base::self().plain_locks = context->plain_locks;
  return 0;
}

}  // namespace

int start(int wanted, std::size_t stack_bytes) {
  std::uint32_t state = 0;
  if (start_state.compare_exchange_strong(state, 1)) {
    if (wanted > most_workers) wanted = most_workers;
    stacks.set_bytes(stack_bytes);
    sys::raw(SYS_rt_sigprocmask, SIG_BLOCK, 0, sys::word(&worker_mask), sizeof worker_mask);
    wanted_workers.store(wanted);
    for (int i = 0; i < wanted && give_place(); ++i) {}
    if (worker_count.load()) watch.start({look_at_workers, [] { each_in_place(give_place_away); }});
    start_state.store(worker_count.load() ? 2 : 0);
    sys::futex_wake(start_state, 1 << 30);
    return worker_count.load() ? 0 : -EAGAIN;
  }
  while ((state = start_state.load()) == 1) sys::futex_wait(start_state, 1, base::ns_per_s);
  return state == 2 ? 0 : -EAGAIN;
}

void serve_without_me() {
  if (Worker* worker = me()) give_place_away(*worker);
}

bool busy() {
  return anything_to_do() || shared.stacks_out.load(std::memory_order_acquire) || shared.stackless.load(std::memory_order_acquire);
}

int size() {
  int count = worker_count.load(std::memory_order_acquire), wanted = wanted_workers.load(std::memory_order_relaxed);
  return count < wanted ? count : wanted;
}

void spawn(weir_task* task) {
  Worker* worker = me();
  if (!worker || !worker->current || !worker->tasks.push(task)) push_shared(task);
  notify();
}

// Who waits for a task runs it on top of itself, and that one the next: as long as there is room.
static bool has_room(const Worker& worker) {
  if (!worker.current) return true;
  const fiber::Stack& stack = *worker.current->fiber.stack();
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  return here - static_cast<const char*>(stack.low) > static_cast<const char*>(stack.high) - here;
}

bool unspawn(weir_task* task) {
  Worker* worker = me();
  if (worker && !has_room(*worker)) return false;
  return worker && worker->tasks.newest(task) && worker->tasks.pop() == task;
}

const weir_runtime pool_runtime = {WEIR_RUNTIME_VERSION, "pool", refuses, suspend, [](std::int32_t) { return 0; },
                                   nullptr};

void after_fork() {
  for (auto& worker : workers) worker.store(nullptr);
  worker_count.store(0);
  start_state.store(0);
  growing.after_fork();
  watch.after_fork();
  stacks.after_fork();
  shared.lock.after_fork();
  shared.first = shared.last = nullptr;
  shared.woken.take_all();
  shared.ready = {};
  shared.idle = nullptr;
  shared.ready_count.store(0);
  shared.task_count.store(0);
  shared.stacks_out.store(0);
  shared.stackless.store(0);
  shared.free_places = shared.spares = 0;
  shared.sleepers.store(0);
  shared.waking.store(false);
  base::self().pool = nullptr;
  base::self().place &= ~base::in_own_worker;
}

}  // namespace weir::pool
