// SPDX-License-Identifier: Apache-2.0
// What C++ adds to tasks that block: exceptions that are handled meanwhile, destructors, rounding modes, deep stacks.
// Prints the same however the tasks are interleaved. Argument: how often.
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string>

static void block() {
  timespec t = {0, 300000};
  nanosleep(&t, nullptr);
}

// In a handler, and while another exception is on its way, with other tasks doing the same.
struct BlocksWhenDestroyed {
  ~BlocksWhenDestroyed() { block(); }
};

static long exceptions() {
  long right = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++)
#pragma omp task firstprivate(i) shared(right)
  {
    std::string want = std::to_string(i), got;
    try {
      try {
        BlocksWhenDestroyed in_the_way;
        throw std::runtime_error(want);
      } catch (const std::exception &) {
        block();
        try {
          throw 7;
        } catch (int) {
          block();
        }
        throw;
      }
    } catch (const std::exception &e) {
      block();
      got = e.what();
    }
    bool well = got == want && std::uncaught_exceptions() == 0 && !std::current_exception();
#pragma omp atomic
    right += well;
  }
  return right;
}

// Tasks that are created in a handler, and whose creator goes on handling.
static long created_in_handler() {
  long right = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
    try {
      throw i;
    } catch (int caught) {
      for (int j = 0; j < 40; j++)
#pragma omp task
      block();
#pragma omp taskwait
      try {
        throw;
      } catch (int again) {
#pragma omp atomic
        right += again == i && caught == i;
      }
    }
  }
  return right;
}

static long alive;
struct Counted {
  explicit Counted(int value) : value(value) { count(1); }
  Counted(const Counted &other) : value(other.value) { count(1); }
  ~Counted() { count(-1); }
  static void count(long by) {
#pragma omp atomic
    alive += by;
  }
  int value;
};

static long destructors() {
  long sum = 0, left = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; i++) {
      Counted object(i);
#pragma omp task firstprivate(object) shared(sum)
      {
        block();
#pragma omp atomic
        sum += object.value;
      }
    }
#pragma omp taskwait
    left = alive;
    Counted object(3);
#pragma omp taskloop firstprivate(object) grainsize(2) shared(sum)
    for (int i = 0; i < 10; i++) {
      block();
#pragma omp atomic
      sum += object.value;
    }
  }
  return sum * 100 + left + alive;
}

// A task that has ended has nothing left of its own, though its child goes on.
static long destroyed_before_children_end() {
  long left = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; i++) {
      Counted object(i);
#pragma omp task firstprivate(object)
      {
#pragma omp task
        for (int j = 0; j < 10; j++) block();
        block();
        if (object.value < 0) std::abort();
      }
    }
#pragma omp taskwait
#pragma omp atomic read
    left = alive;
  }
  return left;
}

static long rounding() {
  volatile double one = 1, three = 3;
  long right = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 12; i++)
#pragma omp task firstprivate(i) shared(right, one, three)
  {
    int before = std::fegetround(), mode = i & 1 ? FE_UPWARD : FE_DOWNWARD;
    std::fesetround(mode);
    double a = one / three;
    block();
    double b = one / three;
    bool well = a == b && std::fegetround() == mode;
    std::fesetround(before);
#pragma omp atomic
    right += well;
  }
  return right;
}

static int deep(int levels) {
  volatile char room[16384];
  room[0] = room[sizeof room - 1] = static_cast<char>(levels);
  if (!levels) {
    block();
    return 0;
  }
  return deep(levels - 1) + (room[0] == static_cast<char>(levels)) + (room[sizeof room - 1] == room[0]);
}

// Two megabytes of stack in each.
static long deep_stacks() {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++)
#pragma omp task shared(sum)
  {
    int right = deep(128);
#pragma omp atomic
    sum += right;
  }
  return sum;
}

int main(int count, char **argument) {
  int times = count > 1 ? std::atoi(argument[1]) : 1;
  for (int i = 0; i < times; i++)
    std::printf("exceptions %ld, in a handler %ld, objects %ld, left %ld, rounding %ld, deep %ld\n", exceptions(),
                created_in_handler(), destructors(), destroyed_before_children_end(), rounding(), deep_stacks());
}
