// SPDX-License-Identifier: Apache-2.0
#pragma once

// std::async, std::future and their kin, with one difference: who waits is set aside, not blocked. Change `std::` to
// `weir::`. Tasks run on weir's own pool. Waits work everywhere; set aside are tasks of the pool, those of oneTBB in a
// weir::io_arena, and under `weir run` all of oneTBB's and OpenMP's. Elsewhere the thread sleeps.
// A task may go on on another thread after a wait: code that keeps thread-local addresses over get() must not migrate. Nor must
// code that holds a lock over it: weir.h says why.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cxxabi.h>
#include <exception>
#include <functional>
#include <future>  // std::future_error, std::launch, std::future_status: the same types
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/operation.h"
#include "weir/task.h"
#include "weir/weir.h"

namespace weir {

using std::future_errc;
using std::future_error;
using std::future_status;
using std::launch;

namespace detail {

// Something to do when a state becomes ready. Run on the thread that makes it so, once; must not block.
struct Follower {
  Follower* next = nullptr;
  void (*fire)(Follower* self) = nullptr;
};

// What a promise and its futures share.
//
//   pending, followers in a list --finish()--> ready (list closed): each follower fired
class State {
 public:
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  virtual ~State() {
    while (Relay* relay = spares_) {
      spares_ = relay->next_spare;
      relay->drop();
    }
  }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // Who sees 1 holds the only reference, and nobody can come to another.
    if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  bool ready() const { return followers_.load(std::memory_order_acquire) == closed(); }

  // False: it is ready already, and the follower was not taken.
  bool follow(Follower* follower) {
    Follower* head = followers_.load(std::memory_order_acquire);
    do {
      if (head == closed()) return false;
      follower->next = head;
    } while (!followers_.compare_exchange_weak(head, follower, std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  void set_error(std::exception_ptr error) {
    claim();
    keep_error(std::move(error));
    finish();
  }
  const std::exception_ptr& error() const { return error_; }

  // Deferred, or not yet started and ours to run: do it here. Then wait for whoever does it.
  void wait() {
    help();
    if (ready()) return;
    struct Sleeper : Follower {
      weir_waiter* waiter;
    } sleeper;
    sleeper.fire = [](Follower* self) {
      weir_waiter* waiter = static_cast<Sleeper*>(self)->waiter;
      waiter->wake(waiter);
    };
    std::pair<State*, Sleeper*> both{this, &sleeper};
    weir_block(
        [](void* both_, weir_waiter* waiter) {
          auto [state, mine] = *static_cast<std::pair<State*, Sleeper*>*>(both_);
          mine->waiter = waiter;
          if (!state->follow(mine)) waiter->wake(waiter);
        },
        &both);
  }

  // True: ready. False: the time was over first.
  bool wait_for(std::chrono::nanoseconds time) {
    if (ready()) return true;
    if (time.count() <= 0) return false;
    Relay* relay = take_spare();
    if (relay) {
      relay->race.again();
    } else {
      relay = new Relay;
      if (!follow(relay)) {
        delete relay;
        return true;
      }
    }
    weir_operation* timer = nullptr;
    if (!ready()) {
      if (weir_start_alarm(&timer, time.count(), [](void* r) { static_cast<Race*>(r)->over(); }, &relay->race)) {
        wait_in_slices(time);
      } else {
        weir_block([](void* r, weir_waiter* waiter) { static_cast<Race*>(r)->wait(waiter); }, &relay->race);
        weir_drop(timer);
      }
    }
    give_spare(relay);
    return ready();
  }

  // May this thread do the work that makes it ready? Who waits: deferred functions always; tasks when nobody has them yet.
  virtual void help() {}
  // Who does not wait, but wants to be told: a deferred function alone would never begin.
  void begin_deferred() {
    if (deferred()) help();
  }
  virtual bool deferred() const { return false; }

 protected:
  // As retain(), while nobody else knows of this state.
  void retain_unshared() { references_.store(references_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void keep_error(std::exception_ptr error) { error_ = std::move(error); }
  void claim() {
    if (claimed_.exchange(true, std::memory_order_acq_rel)) throw future_error(future_errc::promise_already_satisfied);
  }
  void unclaim() { claimed_.store(false, std::memory_order_release); }
  void finish() {
    Follower* list = followers_.exchange(closed(), std::memory_order_acq_rel);
    while (list) {
      Follower* follower = list;
      list = list->next;  // before fire: the follower may be gone after it
      follower->fire(follower);
    }
  }

 private:
  // Two may end a wait; the first one wakes.   0 --wait--> waiter --over--> woken;   0 --over--> 1
  struct Race {
    std::atomic<std::uintptr_t> word{0};
    void wait(weir_waiter* waiter) {
      std::uintptr_t nobody = 0;
      if (!word.compare_exchange_strong(nobody, reinterpret_cast<std::uintptr_t>(waiter), std::memory_order_acq_rel))
        waiter->wake(waiter);
    }
    void over() {
      std::uintptr_t was = word.exchange(1, std::memory_order_acq_rel);
      if (was <= 1) return;
      auto* waiter = reinterpret_cast<weir_waiter*>(was);
      waiter->wake(waiter);
    }
    // For another wait, by who looks then whether it is ready already.
    void again() { word.exchange(0, std::memory_order_acq_rel); }
  };
  // A follower that stays in the list when its wait's time was over, for the next such wait.
  struct Relay : Follower {
    Race race;
    Relay* next_spare = nullptr;
    std::atomic<int> references{2};  // the list's, and of who waits, or of the spare ones
    Relay() {
      fire = [](Follower* self) {
        auto* relay = static_cast<Relay*>(self);
        relay->race.over();
        relay->drop();
      };
    }
    void drop() {
      if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
  };
  Relay* take_spare() {
    Spares spares(*this);
    Relay* relay = spares.first;
    if (relay) spares.first = relay->next_spare;
    return relay;
  }
  void give_spare(Relay* relay) {
    Spares spares(*this);
    relay->next_spare = spares.first;
    spares.first = relay;
  }
  // Where there is no memory for a timer.
  void wait_in_slices(std::chrono::nanoseconds time) {
    constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(2);
    for (auto left = time; left.count() > 0 && !ready(); left -= slice) weir_sleep(std::min(left, slice).count());
  }
  // Held by one at a time, for a few instructions.
  struct Spares {
    State& of;
    Relay*& first;
    explicit Spares(State& state) : of(state), first(state.spares_) {
      while (of.spares_held_.test_and_set(std::memory_order_acquire)) {}
    }
    ~Spares() { of.spares_held_.clear(std::memory_order_release); }
  };
  static Follower* closed() { return reinterpret_cast<Follower*>(std::uintptr_t{1}); }

  std::atomic<int> references_{1};
  std::atomic<bool> claimed_{false};
  std::atomic<Follower*> followers_{nullptr};
  std::atomic_flag spares_held_ = ATOMIC_FLAG_INIT;
  Relay* spares_ = nullptr;
  std::exception_ptr error_;
};

// Done when its scope is left, be it by pthread_exit.
template <typename F>
struct Finally {
  F last;
  ~Finally() { last(); }
};
template <typename F>
Finally(F) -> Finally<F>;

struct Nothing {};
template <typename T>
using Stored = std::conditional_t<std::is_void_v<T>, Nothing,
                                  std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

template <typename T>
class Result : public State {
 public:
  template <typename... Values>
  void set(Values&&... values) {
    this->claim();
    try {
      value_.emplace(std::forward<Values>(values)...);
    } catch (...) {
      this->unclaim();  // nothing was set: it may be tried again
      throw;
    }
    this->finish();
  }
  Stored<T>& value() {
    if (error()) std::rethrow_exception(error());
    return *value_;
  }

  // For who alone gives the value: keep() or fail(), then publish().
  template <typename... Values>
  void keep(Values&&... values) { value_.emplace(std::forward<Values>(values)...); }
  void fail(std::exception_ptr error) { this->keep_error(std::move(error)); }
  void publish() { this->finish(); }

  // Runs f(args...) and keeps what it gives. Once, and nobody else may set anything: there is no claim to make.
  template <typename F, typename... Arguments>
  void run(F&& f, Arguments&&... arguments) {
    Finally finally{[this] { this->finish(); }};
    keep_result(std::forward<F>(f), std::forward<Arguments>(arguments)...);
  }

 protected:
  // The same; finish() is the caller's.
  template <typename F, typename... Arguments>
  void keep_result(F&& f, Arguments&&... arguments) {
    try {
      if constexpr (std::is_void_v<T>) {
        std::invoke(std::forward<F>(f), std::forward<Arguments>(arguments)...);
        keep();
      } else if constexpr (std::is_reference_v<T>) {
        keep(std::addressof(std::invoke(std::forward<F>(f), std::forward<Arguments>(arguments)...)));
      } else {
        keep(std::invoke(std::forward<F>(f), std::forward<Arguments>(arguments)...));
      }
#ifdef __GLIBCXX__
    } catch (const __cxxabiv1::__forced_unwind&) {  // pthread_exit: nobody may keep that
      this->keep_error(std::make_exception_ptr(future_error(future_errc::broken_promise)));
      throw;
#endif
    } catch (...) {
      this->keep_error(std::current_exception());
    }
  }

 private:
  std::optional<Stored<T>> value_;
};

// One reference to a state.
template <typename S>
class Pointer {
 public:
  Pointer() = default;
  explicit Pointer(S* adopted) : state_(adopted) {}
  Pointer(const Pointer& other) : state_(other.state_) { if (state_) state_->retain(); }
  Pointer(Pointer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Pointer& operator=(Pointer other) noexcept { std::swap(state_, other.state_); return *this; }
  ~Pointer() { if (state_) state_->release(); }
  S* operator->() const { return state_; }
  S* get() const { return state_; }
  explicit operator bool() const { return state_ != nullptr; }

 private:
  S* state_ = nullptr;
};

template <typename T>
T give(Stored<T>& value) {
  if constexpr (std::is_void_v<T>) return;
  else if constexpr (std::is_reference_v<T>) return static_cast<T>(*value);
  else return std::move(value);
}

template <typename T>
class Handle {
 public:
  bool valid() const noexcept { return static_cast<bool>(state_); }
  void wait() const { state().wait(); }
  template <typename Rep, typename Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& time) const {
    if (state().deferred()) return future_status::deferred;
    return state().wait_for(in_ns(time)) ? future_status::ready : future_status::timeout;
  }
  template <typename Clock, typename Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& point) const {
    if (state().deferred()) return future_status::deferred;
    for (auto now = Clock::now(); now < point; now = Clock::now())  // compared first: the difference may be none that there is
      if (state().wait_for(in_ns(point - now))) return future_status::ready;
    return state().ready() ? future_status::ready : future_status::timeout;
  }

  // For adaptors (then, when_all, coroutines): the shared state.
  Result<T>& state() const {
    if (!state_) throw future_error(future_errc::no_state);
    return *state_.get();
  }

 protected:
  Handle() = default;
  explicit Handle(Pointer<Result<T>> state) : state_(std::move(state)) {}
  Pointer<Result<T>> state_;

 private:
  // Some 290 years at most.
  template <typename Rep, typename Period>
  static std::chrono::nanoseconds in_ns(const std::chrono::duration<Rep, Period>& time) {
    constexpr auto most = std::chrono::nanoseconds::max();
    if (time <= time.zero()) return most.zero();
    if (std::chrono::duration<double>(time) >= std::chrono::duration<double>(most)) return most;
    return std::chrono::ceil<std::chrono::nanoseconds>(time);
  }
};

}  // namespace detail

template <typename T>
class shared_future;

template <typename T>
class future : public detail::Handle<T> {
 public:
  future() = default;
  explicit future(detail::Pointer<detail::Result<T>> state) : detail::Handle<T>(std::move(state)) {}
  future(future&&) = default;
  future& operator=(future&&) = default;
  future(const future&) = delete;
  future& operator=(const future&) = delete;

  T get() {
    this->state();
    detail::Pointer<detail::Result<T>> state = std::move(this->state_);
    state->wait();
    return detail::give<T>(state->value());
  }
  shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

  // f(future) as a task of the pool once this one is ready; no stack is held while it waits. This one is then empty.
  template <typename F>
  auto then(F f) -> future<std::invoke_result_t<F, future<T>>>;
};

template <typename T>
class shared_future : public detail::Handle<T> {
 public:
  shared_future() = default;
  shared_future(future<T>&& from) noexcept : detail::Handle<T>() {
    if (from.valid()) from.state().retain(), this->state_ = detail::Pointer<detail::Result<T>>(&from.state());
    from = future<T>();
  }
  decltype(auto) get() const {
    this->state().wait();
    auto& value = this->state().value();
    if constexpr (std::is_void_v<T>) return;
    else if constexpr (std::is_reference_v<T>) return static_cast<T>(*value);
    else return static_cast<const T&>(value);
  }
};

template <typename T>
class promise {
 public:
  promise() : state_(new detail::Result<T>) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&& other) noexcept {
    promise(std::move(other)).swap(*this);
    return *this;
  }
  promise(const promise&) = delete;
  promise& operator=(const promise&) = delete;
  ~promise() {
    if (state_ && !state_->ready()) {
      try {
        state_->set_error(std::make_exception_ptr(future_error(future_errc::broken_promise)));
      } catch (const future_error&) {
        // somebody is setting it this moment
      }
    }
  }
  void swap(promise& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(given_, other.given_);
  }
  future<T> get_future() {
    if (!state_) throw future_error(future_errc::no_state);
    if (given_) throw future_error(future_errc::future_already_retrieved);
    given_ = true;
    return future<T>(state_);
  }
  // set_value(): void; set_value(T&): a reference; set_value(value): else.
  template <typename... Values>
  void set_value(Values&&... values) {
    if (!state_) throw future_error(future_errc::no_state);
    if constexpr (std::is_reference_v<T>) state_->set(std::addressof(values)...);
    else state_->set(std::forward<Values>(values)...);
  }
  void set_exception(std::exception_ptr error) {
    if (!state_) throw future_error(future_errc::no_state);
    state_->set_error(std::move(error));
  }

 private:
  detail::Pointer<detail::Result<T>> state_;
  bool given_ = false;
};

template <typename Signature>
class packaged_task;

template <typename T, typename... Arguments>
class packaged_task<T(Arguments...)> {
 public:
  packaged_task() = default;
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, packaged_task>>>
  explicit packaged_task(F&& f)
      : call_(std::make_unique<Call<std::decay_t<F>>>(std::forward<F>(f))), state_(new detail::Result<T>) {}
  packaged_task(packaged_task&&) noexcept = default;
  packaged_task& operator=(packaged_task&& other) noexcept {
    packaged_task(std::move(other)).swap(*this);
    return *this;
  }
  ~packaged_task() {
    if (state_ && !started_)
      state_->set_error(std::make_exception_ptr(future_error(future_errc::broken_promise)));
  }
  void swap(packaged_task& other) noexcept {
    std::swap(call_, other.call_);
    std::swap(state_, other.state_);
    std::swap(given_, other.given_);
    std::swap(started_, other.started_);
  }
  bool valid() const noexcept { return static_cast<bool>(state_); }
  future<T> get_future() {
    if (!state_) throw future_error(future_errc::no_state);
    if (std::exchange(given_, true)) throw future_error(future_errc::future_already_retrieved);
    return future<T>(state_);
  }
  void operator()(Arguments... arguments) {
    if (!state_) throw future_error(future_errc::no_state);
    if (std::exchange(started_, true)) throw future_error(future_errc::promise_already_satisfied);
    call_->run(*state_.get(), std::forward<Arguments>(arguments)...);
  }
  void reset() {
    if (!state_) throw future_error(future_errc::no_state);
    packaged_task fresh;
    fresh.call_ = std::move(call_);
    fresh.state_ = detail::Pointer<detail::Result<T>>(new detail::Result<T>);
    *this = std::move(fresh);
  }

 private:
  struct AnyCall {
    virtual ~AnyCall() = default;
    virtual void run(detail::Result<T>& into, Arguments... arguments) = 0;
  };
  template <typename F>
  struct Call : AnyCall {
    F f;
    template <typename G>
    explicit Call(G&& g) : f(std::forward<G>(g)) {}
    void run(detail::Result<T>& into, Arguments... arguments) override {
      into.run(f, std::forward<Arguments>(arguments)...);
    }
  };
  std::unique_ptr<AnyCall> call_;
  detail::Pointer<detail::Result<T>> state_;
  bool given_ = false, started_ = false;
};

namespace detail {

// A function with its arguments, its result, and its place among the pool's tasks: one allocation.
template <typename T, typename F, typename... Arguments>
class Call : public Result<T>, public weir_task {
 public:
  template <typename G, typename... Given>
  explicit Call(G&& f, Given&&... given) : call_(std::in_place, std::forward<G>(f), std::forward<Given>(given)...) {
    next = nullptr;
    weir_task::run = [](weir_task* self) { static_cast<Call*>(self)->as_task(); };
  }

  // Before anybody else knows of it. The pool has a reference of its own.
  void spawn() {
    this->retain_unshared();
    hand_over();
  }
  // The same once others do.
  void spawn_shared() {
    this->retain();
    hand_over();
  }
  // Before anybody else knows of it: who waits first runs it.
  void defer() { deferred_.store(true, std::memory_order_relaxed); }

  // The one who waits runs it, when no worker has begun.
  void help() override {
    if (spawned_.load(std::memory_order_acquire)) {
      if (weir_unspawn(this)) as_task();
    } else if (deferred_.load(std::memory_order_relaxed) && deferred_.exchange(false, std::memory_order_acq_rel)) {
      execute();
    }
  }
  bool deferred() const override { return deferred_.load(std::memory_order_acquire); }

 private:
  void hand_over() {
    spawned_.store(true, std::memory_order_release);
    if (weir_spawn(this)) as_task();  // no worker to be had: here and now
  }
  void as_task() {
    Finally finally{[this] { this->release(); }};
    execute();
  }
  // What the function and its arguments hold is gone before anybody sees the result.
  void execute() {
    Finally finally{[this] {
      call_.reset();  // moving it may have failed
      this->finish();
    }};
    this->keep_result([this]() -> T {
      std::tuple<F, Arguments...> call = std::move(*call_);
      call_.reset();
      return std::apply([](auto&&... parts) -> T { return std::invoke(std::move(parts)...); }, std::move(call));
    });
  }
  std::optional<std::tuple<F, Arguments...>> call_;
  std::atomic<bool> spawned_{false};
  std::atomic<bool> deferred_{false};
};

template <typename F, typename... Arguments>
using CallResult = std::invoke_result_t<std::decay_t<F>, std::decay_t<Arguments>...>;

template <typename F, typename... Arguments>
auto make_call(F&& f, Arguments&&... arguments) {
  using T = CallResult<F, Arguments...>;
  return new Call<T, std::decay_t<F>, std::decay_t<Arguments>...>(std::forward<F>(f),
                                                                  std::forward<Arguments>(arguments)...);
}

}  // namespace detail

// As std::async. Unlike there, the future's destructor does not wait: nothing is lost by that but a surprise. A task may leave by
// pthread_exit, as there: its promise is broken.
template <typename F, typename... Arguments>
future<detail::CallResult<F, Arguments...>> async(launch policy, F&& f, Arguments&&... arguments) {
  using T = detail::CallResult<F, Arguments...>;
  auto* call = detail::make_call(std::forward<F>(f), std::forward<Arguments>(arguments)...);
  detail::Pointer<detail::Result<T>> state(call);
  if ((policy & launch::async) == launch::async) call->spawn();
  else call->defer();
  return future<T>(std::move(state));
}

template <typename F, typename... Arguments,
          typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, launch>>>
future<detail::CallResult<F, Arguments...>> async(F&& f, Arguments&&... arguments) {
  return weir::async(launch::async, std::forward<F>(f), std::forward<Arguments>(arguments)...);
}

template <typename T>
template <typename F>
auto future<T>::then(F f) -> future<std::invoke_result_t<F, future<T>>> {
  using U = std::invoke_result_t<F, future<T>>;
  struct Continuation : detail::Follower {
    detail::Call<U, F, future<T>>* call;
  };
  auto& before = this->state();
  before.begin_deferred();
  detail::Pointer<detail::Result<T>> kept(std::move(this->state_));
  auto* call = detail::make_call(std::move(f), future<T>(kept));
  detail::Pointer<detail::Result<U>> state(call);
  auto* continuation = new Continuation;
  continuation->call = static_cast<detail::Call<U, F, future<T>>*>(call);
  call->retain();  // the continuation's
  continuation->fire = [](detail::Follower* self) {
    std::unique_ptr<Continuation> mine(static_cast<Continuation*>(self));
    mine->call->spawn_shared();
    mine->call->release();
  };
  if (!before.follow(continuation)) continuation->fire(continuation);
  return future<U>(std::move(state));
}

template <typename T>
future<std::decay_t<T>> make_ready_future(T&& value) {
  promise<std::decay_t<T>> made;
  made.set_value(std::forward<T>(value));
  return made.get_future();
}

namespace detail {

// Ready when `left` of the futures are: all of them, or one.
template <typename Out>
struct Gathering {
  std::atomic<std::size_t> left;
  promise<Out> done;
  Out futures;
  std::atomic<std::size_t> first{0};
};

template <typename T, typename Out>
void gather(const std::shared_ptr<Gathering<Out>>& gathering, std::vector<future<T>>& futures) {
  struct One : Follower {
    std::shared_ptr<Gathering<Out>> gathering;
    std::size_t index;
  };
  // The states outlive the moment a follower fires, though the futures may have been moved out by then.
  std::vector<Pointer<Result<T>>> states;
  for (auto& f : futures) f.state().retain(), states.emplace_back(&f.state());
  for (std::size_t i = 0; i < states.size(); ++i) {
    auto* one = new One;
    one->gathering = gathering;
    one->index = i;
    one->fire = [](Follower* self) {
      std::unique_ptr<One> mine(static_cast<One*>(self));
      Gathering<Out>& all = *mine->gathering;
      if (all.left.load() != 0 && all.left.fetch_sub(1) == 1) {
        all.first.store(mine->index);
        all.done.set_value(std::move(all.futures));
      }
    };
    states[i]->begin_deferred();
    if (!states[i]->follow(one)) one->fire(one);
  }
}

}  // namespace detail

template <typename T>
struct when_any_result {
  std::size_t index;
  std::vector<future<T>> futures;
};

// All of them, ready.
template <typename T>
future<std::vector<future<T>>> when_all(std::vector<future<T>> futures) {
  using Out = std::vector<future<T>>;
  auto gathering = std::make_shared<detail::Gathering<Out>>();
  gathering->left = futures.size();
  future<Out> result = gathering->done.get_future();
  if (futures.empty()) {
    gathering->done.set_value(std::move(futures));
    return result;
  }
  // One more, so that nothing is complete before all are followed.
  gathering->left.fetch_add(1);
  gathering->futures = std::move(futures);
  detail::gather(gathering, gathering->futures);
  if (gathering->left.fetch_sub(1) == 1) gathering->done.set_value(std::move(gathering->futures));
  return result;
}

// All of them, at least one ready: which was first stands in index.
template <typename T>
future<when_any_result<T>> when_any(std::vector<future<T>> futures) {
  struct Any {
    std::atomic<bool> over{false};
    std::atomic<bool> followed{false};
    std::atomic<std::size_t> index{static_cast<std::size_t>(-1)};
    promise<when_any_result<T>> done;
    std::vector<future<T>> futures;
    // Called by the first that is ready and by who set this up; the later of the two hands the result over.
    void step() {
      if (over.exchange(true)) done.set_value(when_any_result<T>{index.load(), std::move(futures)});
    }
  };
  struct One : detail::Follower {
    std::shared_ptr<Any> any;
    std::size_t index;
  };
  auto any = std::make_shared<Any>();
  future<when_any_result<T>> result = any->done.get_future();
  if (futures.empty()) {
    any->done.set_value(when_any_result<T>{static_cast<std::size_t>(-1), {}});
    return result;
  }
  any->futures = std::move(futures);
  for (std::size_t i = 0; i < any->futures.size(); ++i) {
    auto* one = new One;
    one->any = any;
    one->index = i;
    one->fire = [](detail::Follower* self) {
      std::unique_ptr<One> mine(static_cast<One*>(self));
      std::size_t none = static_cast<std::size_t>(-1);
      if (mine->any->index.compare_exchange_strong(none, mine->index)) mine->any->step();
    };
    any->futures[i].state().begin_deferred();
    if (!any->futures[i].state().follow(one)) one->fire(one);
  }
  any->step();
  return result;
}

// ---- I/O futures -------------------------------------------------------------------------------------------------

// What an operation came to.
struct io_result {
  ssize_t value = 0;  // >= 0, or -errno
  bool ok() const { return value >= 0; }
  int error() const { return value < 0 ? static_cast<int>(-value) : 0; }
};

// An operation under way. get() once, now or later; dropping it cancels and waits until the memory is free again.
class io_future {
 public:
  io_future() = default;
  explicit io_future(weir_operation* operation) : operation_(operation) {}
  static io_future failed(int error) {
    io_future future;
    future.failure_ = error;
    return future;
  }
  io_future(io_future&& other) noexcept
      : operation_(std::exchange(other.operation_, nullptr)), failure_(std::exchange(other.failure_, 0)) {}
  io_future& operator=(io_future&& other) noexcept {
    if (this != &other) {
      drop();
      operation_ = std::exchange(other.operation_, nullptr);
      failure_ = std::exchange(other.failure_, 0);
    }
    return *this;
  }
  ~io_future() { drop(); }

  bool valid() const { return operation_ || failure_; }
  bool ready() const {
    ssize_t ignored;
    return failure_ || (operation_ && weir_test(operation_, &ignored));
  }
  // What co_await does: resumes the coroutine on a worker of the pool.
  auto operator co_await() &&;

  io_result get() {
    if (int failure = std::exchange(failure_, 0)) return {failure};
    expect_state();
    return {weir_wait(std::exchange(operation_, nullptr))};
  }
  void cancel() {
    if (operation_) weir_cancel(operation_);
  }

  // get(), but cancelled, with -ETIMEDOUT, when `time` is over first.
  template <typename Rep, typename Period>
  io_result get_within(const std::chrono::duration<Rep, Period>& time) {
    if (!operation_) return get();
    auto ns = std::chrono::ceil<std::chrono::nanoseconds>(time).count();
    return {weir_wait_within(std::exchange(operation_, nullptr), ns < 0 ? 0 : ns)};
  }

  // f(io_result) on weir's driver thread, the moment the operation ends: it must neither block nor throw, which ends the process.
  // Holds no stack meanwhile.
  template <typename F>
  void on_complete(F f) {
    expect_state();
    auto* kept = new F(std::move(f));
    auto call = [](void* kept_, ssize_t result) {
      std::unique_ptr<F> mine(static_cast<F*>(kept_));
      (*mine)(io_result{result});
    };
    if (int failure = std::exchange(failure_, 0)) return call(kept, failure);
    weir_on_complete(std::exchange(operation_, nullptr), call, kept);
  }

  // f(io_result) as a task of the pool: it may block. The future of what it gives.
  template <typename F>
  auto then(F f) -> future<std::invoke_result_t<F, io_result>> {
    return as_future().then([f = std::move(f)](future<io_result> result) mutable { return f(result.get()); });
  }

  // The same result as a weir::future, for when_all and when_any.
  future<io_result> as_future() {
    expect_state();
    auto* done = new promise<io_result>;
    future<io_result> result = done->get_future();
    on_complete([done](io_result r) {
      std::unique_ptr<promise<io_result>> mine(done);
      mine->set_value(r);
    });
    return result;
  }

 private:
  void expect_state() const {
    if (!valid()) throw future_error(future_errc::no_state);
  }
  void drop() {
    if (operation_) weir_drop(std::exchange(operation_, nullptr));
  }
  weir_operation* operation_ = nullptr;
  int failure_ = 0;
};

namespace detail {
template <typename Start, typename... Arguments>
io_future begin(Start start, Arguments... arguments) {
  weir_operation* operation = nullptr;
  int error = start(&operation, arguments...);
  return error ? io_future::failed(error) : io_future(operation);
}
}  // namespace detail

inline io_future async_read(int fd, void* to, size_t bytes) { return detail::begin(weir_start_read, fd, to, bytes, -1); }
inline io_future async_pread(int fd, void* to, size_t bytes, off_t offset) {
  return offset < 0 ? io_future::failed(-EINVAL) : detail::begin(weir_start_read, fd, to, bytes, offset);
}
inline io_future async_write(int fd, const void* from, size_t bytes) {
  return detail::begin(weir_start_write, fd, from, bytes, -1);
}
inline io_future async_pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  return offset < 0 ? io_future::failed(-EINVAL) : detail::begin(weir_start_write, fd, from, bytes, offset);
}
inline io_future async_recv(int fd, void* to, size_t bytes, int flags = 0) {
  return detail::begin(weir_start_recv, fd, to, bytes, flags);
}
inline io_future async_send(int fd, const void* from, size_t bytes, int flags = 0) {
  return detail::begin(weir_start_send, fd, from, bytes, flags);
}
inline io_future async_accept(int fd, sockaddr* peer = nullptr, socklen_t* peer_bytes = nullptr, int flags = 0) {
  return detail::begin(weir_start_accept, fd, peer, peer_bytes, flags);
}
inline io_future async_connect(int fd, const sockaddr* peer, socklen_t peer_bytes) {
  return detail::begin(weir_start_connect, fd, peer, peer_bytes);
}
inline io_future async_fsync(int fd) { return detail::begin(weir_start_fsync, fd); }
template <typename Rep, typename Period>
io_future async_sleep(const std::chrono::duration<Rep, Period>& time) {
  return detail::begin(weir_start_sleep, std::chrono::ceil<std::chrono::nanoseconds>(time).count());
}

// ---- coroutines --------------------------------------------------------------------------------------------------

namespace detail {

// A coroutine to go on with, as a task of the pool.
struct Resumption : weir_task {
  std::coroutine_handle<> handle;
  void go() {
    run = [](weir_task* self) { static_cast<Resumption*>(self)->handle.resume(); };
    if (weir_spawn(this)) handle.resume();
  }
};

class IoAwaiter {
 public:
  explicit IoAwaiter(io_future&& future) : future_(std::move(future)) {}
  bool await_ready() const { return future_.ready(); }
  void await_suspend(std::coroutine_handle<> handle) {
    resumption_.handle = handle;
    // Not this frame's any more once it is registered: the coroutine may run at once.
    io_future future = std::move(future_);
    future.on_complete([this](io_result result) {
      result_ = result;
      over_ = true;
      resumption_.go();
    });
  }
  io_result await_resume() { return over_ ? result_ : future_.get(); }

 private:
  io_future future_;
  io_result result_;
  bool over_ = false;
  Resumption resumption_;
};

template <typename T>
class FutureAwaiter {
 public:
  explicit FutureAwaiter(future<T>&& future) : future_(std::move(future)) {}
  bool await_ready() {
    future_.state().help();
    return future_.state().ready();
  }
  bool await_suspend(std::coroutine_handle<> handle) {
    follower_.resumption.handle = handle;
    follower_.fire = [](Follower* self) { static_cast<Resume*>(self)->resumption.go(); };
    return future_.state().follow(&follower_);
  }
  T await_resume() { return future_.get(); }

 private:
  struct Resume : Follower {
    Resumption resumption;
  };
  future<T> future_;
  Resume follower_;
};

// The result of a coroutine, which is ready when the coroutine and what it held is gone.
template <typename T>
class CoroutineState {
 public:
  future<T> get_return_object() { return future<T>(state_); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  struct End {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
      auto state = std::move(coroutine.promise().state_);
      coroutine.destroy();  // and this object with it
      state->publish();
    }
    void await_resume() noexcept {}
  };
  End final_suspend() noexcept { return {}; }
  void unhandled_exception() { state_->fail(std::current_exception()); }

  CoroutineState() = default;
  CoroutineState(const CoroutineState&) = delete;
  CoroutineState& operator=(const CoroutineState&) = delete;
  ~CoroutineState() {
    if (!state_) return;
    state_->fail(std::make_exception_ptr(future_error(future_errc::broken_promise)));
    state_->publish();
  }

 protected:
  Pointer<Result<T>> state_{new Result<T>};
};

template <typename T>
struct CoroutineReturn : CoroutineState<T> {
  template <typename V>
  void return_value(V&& value) {
    if constexpr (std::is_reference_v<T>) this->state_->keep(std::addressof(value));
    else this->state_->keep(std::forward<V>(value));
  }
};
template <>
struct CoroutineReturn<void> : CoroutineState<void> {
  void return_void() { state_->keep(); }
};

}  // namespace detail

inline auto io_future::operator co_await() && { return detail::IoAwaiter(std::move(*this)); }

template <typename T>
detail::FutureAwaiter<T> operator co_await(future<T>&& awaited) {
  return detail::FutureAwaiter<T>(std::move(awaited));
}

}  // namespace weir

// A coroutine may return weir::future<T>: it starts at once, on the caller's thread.
template <typename T, typename... Arguments>
struct std::coroutine_traits<weir::future<T>, Arguments...> {
  using promise_type = weir::detail::CoroutineReturn<T>;
};
