// SPDX-License-Identifier: Apache-2.0
#include "api/iopa_pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/thread.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::api {

constinit IopaPool iopa_pool;

// What a thread of the pool has: in the frame of worker(), named by its thread record.
struct IopaPool::Worker {
  bool told_to_end = false;
  bool took_one = false;
};

namespace {

// What the process moved by read and write calls, of whatever kind: the kernel counts it, so nothing is intercepted.
class Moved {
 public:
  Moved() { fd_ = sys::open("/proc/self/io", O_RDONLY | O_CLOEXEC); }
  ~Moved() {
    if (!failed(fd_)) sys::close(static_cast<int>(fd_));
  }
  // False: the kernel does not say.
  bool read() {
    char text[512];
    iovec part{text, sizeof text - 1};
    Result got = failed(fd_) ? fd_ : sys::preadv2(static_cast<int>(fd_), &part, 1, 0, 0);
    if (failed(got)) return false;
    text[got] = 0;
    bytes = field(text, "rchar: ") + field(text, "wchar: ") - own_bytes_;
    calls = field(text, "syscr: ") + field(text, "syscw: ") - own_calls_;
    own_bytes_ += got;
    ++own_calls_;
    return true;
  }
  std::int64_t bytes = 0, calls = 0;

 private:
  static std::int64_t field(const char* text, const char* name) {
    const char* at = std::strstr(text, name);
    return at ? std::strtoll(at + std::strlen(name), nullptr, 10) : 0;
  }
  Result fd_;
  std::int64_t own_bytes_ = 0, own_calls_ = 0;
};

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

bool IopaPool::inside() { return base::self().iopa != nullptr; }

int IopaPool::open(const IOPA_Config& config) {
  std::uint32_t now = closed;
  if (!phase_.compare_exchange_strong(now, busy)) return -EALREADY;
  config_ = config;
  phase_.store(idle, std::memory_order_release);
  return 0;
}

int IopaPool::close() {
  std::uint32_t now = idle;
  if (phase_.compare_exchange_strong(now, closed)) return 0;
  return now == closed ? -EPERM : -EBUSY;
}

control::Bounds IopaPool::bounds() const {
  return {config_.cores > 0 ? config_.cores : sys::usable_cores(), config_.max_threads > 0 ? config_.max_threads : 128};
}

control::IopaTuning IopaPool::tuning() const {
  control::IopaTuning t;
  auto set = [](auto& to, auto from) {
    if (from > 0) to = from;
  };
  set(t.init_threads, config_.init_thread_num);
  set(t.fast_threads, config_.fastmode_thread_num);
  set(t.increase_threshold, config_.increase_threshold);
  set(t.decrease_threshold, config_.decrease_threshold);
  set(t.fast_cycle_s, config_.fast_cycle_s);
  set(t.normal_cycle_s, config_.normal_cycle_s);
  set(t.hold_cycle_s, config_.hold_cycle_s);
  set(t.previous_average_num, config_.previous_average_num);
  return t;
}

int IopaPool::clamped(int limit) const { return limit < config_.min_threads ? config_.min_threads : limit; }

int IopaPool::run(IOPA_ThreadFn fn, void* arg, const char* const* files, std::size_t count) {
  std::uint32_t now = idle;
  if (!phase_.compare_exchange_strong(now, running)) return now == closed ? -EPERM : -EBUSY;
  fn_ = fn;
  arg_ = arg;
  files_ = files;
  count_ = count;
  next_.store(0);
  active_.store(0);
  refused_.store(false);
  sys::raw(SYS_rt_sigprocmask, SIG_BLOCK, 0, sys::word(&signals_), sizeof signals_);
  // One thread and the controller's count from here on, so that the run is not over before it has begun.
  live_.store(2);
  control::Algorithm algorithm =
      config_.algorithm == IOPA_ALGORITHM_PUBLISHED ? control::Algorithm::iopa : control::Algorithm::weir;
  wanted_.store(clamped(control::first_limit(algorithm, bounds(), tuning())));
  int error = start_worker();
  if (error) {
    live_.store(0);
    phase_.store(idle, std::memory_order_release);
    return error;
  }
  grow();
  // Without a controller the number stays what it was at first.
  if (sys::start_thread(control, this, "weir-iopa")) ended();
  return 0;
}

// The thread is counted in live_ already.
int IopaPool::start_worker() {
  active_.fetch_add(1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, worker, this);
  pthread_attr_destroy(&attributes);
  if (error) active_.fetch_sub(1);
  return -error;
}

bool IopaPool::over() const { return next_.load() >= count_ || refused_.load(); }

void IopaPool::grow() {
  while (active_.load() < wanted_.load() && !over()) {
    live_.fetch_add(1);
    if (start_worker() == 0) continue;
    ended();  // no more threads to be had: go on with those there are
    return;
  }
}

void* IopaPool::worker(void* pool_) {
  auto& pool = *static_cast<IopaPool*>(pool_);
  // The controller's thread, which may have started this one, has every signal blocked.
  sys::raw(SYS_rt_sigprocmask, SIG_SETMASK, sys::word(&pool.signals_), 0, sizeof pool.signals_);
  Worker me;
  base::self().iopa = &me;
  pthread_cleanup_push(left_by_fn, pool_);
  pool.work(me);
  pthread_cleanup_pop(0);
  base::self().iopa = nullptr;
  pool.leave();
  return nullptr;
}

// fn ended its thread (pthread_exit, a cancellation): another goes on in its place, unless it came without a file.
void IopaPool::left_by_fn(void* pool_) {
  auto& pool = *static_cast<IopaPool*>(pool_);
  auto* me = static_cast<Worker*>(base::self().iopa);
  base::self().iopa = nullptr;
  if (!me->told_to_end) {
    pool.active_.fetch_sub(1);
    if (me->took_one) pool.grow();
    else pool.refused_.store(true);
  }
  pool.leave();
}

void IopaPool::work(Worker& me) {
  while (true) {
    me.took_one = false;
    fn_(arg_);
    if (me.told_to_end) break;
    if (me.took_one) continue;  // fn takes one file a call: so be it
    refused_.store(true);
    active_.fetch_sub(1);
    break;
  }
}

void IopaPool::leave() {
  if (over() && active_.load() == 0) {
    pulse_.fetch_add(1);
    sys::futex_wake(pulse_);
  }
  ended();
}

void IopaPool::ended() {
  if (live_.fetch_sub(1) != 1) return;
  phase_.store(idle, std::memory_order_release);
  sys::futex_wake(phase_, 1 << 30);
}

const char* IopaPool::next_file() {
  auto* me = static_cast<Worker*>(base::self().iopa);
  if (!me || me->told_to_end) return nullptr;
  int active = active_.load();
  while (active > wanted_.load()) {
    if (!active_.compare_exchange_weak(active, active - 1)) continue;
    me->told_to_end = true;
    return nullptr;
  }
  std::size_t mine = next_.fetch_add(1);
  if (mine < count_) {
    me->took_one = true;
    return files_[mine];
  }
  next_.store(count_);
  me->told_to_end = true;
  active_.fetch_sub(1);
  return nullptr;
}

int IopaPool::wait() {
  std::uint32_t now;
  while ((now = phase_.load(std::memory_order_acquire)) == running) sys::futex_wait(phase_, running);
  if (now == closed) return -EPERM;
  return next_.load() < count_ ? -ECANCELED : 0;
}

void IopaPool::tell(double t_s, const control::Decision& decision, double bytes_per_s) {
  if (!config_.on_decision) return;
  IOPA_Decision said{t_s, clamped(decision.limit), active_.load(), name_of(decision.state), decision.reason, bytes_per_s};
  config_.on_decision(&said, config_.user);
}

void IopaPool::control(void* pool_) {
  auto& pool = *static_cast<IopaPool*>(pool_);
  pool.steer();
  pool.ended();
}

// Until no file is left: what was moved, by how many; how many from now on.
void IopaPool::steer() {
  using control::Controller;
  Result memory = sys::raw(SYS_mmap, 0, sizeof(Controller), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(memory)) return;
  bool published = config_.algorithm == IOPA_ALGORITHM_PUBLISHED;
  auto* controller = new (reinterpret_cast<void*>(memory)) Controller(
      published ? control::Algorithm::iopa : control::Algorithm::weir, bounds(), {}, tuning());
  Moved moved;
  moved.read();
  std::int64_t bytes = moved.bytes, calls = moved.calls, cpu_ns = sys::process_cpu_ns();
  std::int64_t began_ns = base::now_ns(), last_ns = began_ns;
  std::size_t files = next_.load();
  const char* reason = nullptr;
  int limit = 0;
  double patience_s = 0.05;
  while (!over()) {
    std::uint32_t pulse = pulse_.load();
    if (over()) break;
    sys::futex_wait(pulse_, pulse, static_cast<std::int64_t>(patience_s * 1e9));
    control::Sample sample;
    std::int64_t now_ns = base::now_ns(), cpu_now_ns = sys::process_cpu_ns();
    std::size_t files_now = next_.load();
    sample.dt_s = seconds(now_ns - last_ns);
    if (moved.read()) {
      sample.ops = static_cast<double>(moved.calls - calls);
      sample.bytes = static_cast<double>(moved.bytes - bytes);
    } else {
      sample.ops = sample.bytes = static_cast<double>(files_now - files);
    }
    sample.busy = sample.blocked = sample.level = active_.load();
    sample.cpu = sample.dt_s > 0 ? seconds(cpu_now_ns - cpu_ns) / sample.dt_s : 0;
    control::Decision decision = controller->step(sample);
    if (decision.limit != limit || decision.reason != reason)
      tell(seconds(now_ns - began_ns), decision, sample.dt_s > 0 ? sample.bytes / sample.dt_s : 0);
    limit = decision.limit;
    reason = decision.reason;
    wanted_.store(clamped(limit));
    grow();
    patience_s = controller->patience_s();
    last_ns = now_ns, cpu_ns = cpu_now_ns, bytes = moved.bytes, calls = moved.calls, files = files_now;
  }
  sys::raw(SYS_munmap, memory, sizeof(Controller));
}

void IopaPool::after_fork() {
  if (phase_.load() == closed) return;
  live_.store(0);
  active_.store(0);
  count_ = 0;
  phase_.store(idle);
  base::self().iopa = nullptr;
}

}  // namespace weir::api
