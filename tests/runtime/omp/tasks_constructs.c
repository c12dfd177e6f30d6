// SPDX-License-Identifier: Apache-2.0
// Every tasking construct with calls inside that block. Knows nothing of weir; prints one line a construct, the same
// whatever the number of threads: argument 1 how often to repeat, argument 2 a name to do that construct alone.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void block_by_sleep(void) {
  struct timespec t = {0, 300000};
  nanosleep(&t, NULL);
}

static void block_by_read(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec t = {{0, 0}, {0, 300000}};
  unsigned long long expired = 0;
  timerfd_settime(fd, 0, &t, NULL);
  if (read(fd, &expired, sizeof expired) != sizeof expired || expired != 1) abort();
  close(fd);
}

static void block(int i) {
  if (i & 1) block_by_read();
  else block_by_sleep();
}

static void add(long *sum, long n) {
#pragma omp atomic
  *sum += n;
}

enum { N = 24 };

static long plain(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++)
#pragma omp task firstprivate(i) shared(sum)
  {
    block(i);
    add(&sum, i * i);
  }
  return sum;
}

static long from_every_thread(void) {
  long sum = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 8; i++)
#pragma omp task firstprivate(i) shared(sum)
  {
    block(i);
    add(&sum, i);
  }
  return sum / 28 > 0;  // as many times 28 as there are threads
}

static long fib(int n) {
  if (n < 2) {
    block(n);
    return n;
  }
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static long tree(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(9);
  return result;
}

static long untied(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++)
#pragma omp task untied firstprivate(i) shared(sum)
  {
    block(i);
    long part = 0;
#pragma omp task shared(part) firstprivate(i)
    {
      block(i + 1);
      part = i;
    }
#pragma omp taskyield
    block(i);
#pragma omp taskwait
    add(&sum, part + 1);
  }
  return sum;
}

static long undeferred(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++) {
    long before = sum;
#pragma omp task if (i < 0) firstprivate(i) shared(sum)
    {
      block(i);
#pragma omp task shared(sum) firstprivate(i)
      {
        block(i + 1);
        add(&sum, 100);
      }
#pragma omp taskwait
      add(&sum, i);
    }
    if (sum != before + i + 100) sum += 1000000;
  }
  return sum;
}

static long included(int depth) {
  long a = 0, b = 0;
  if (!depth) {
    block(depth);
    return 1;
  }
#pragma omp task shared(a) final(depth <= 3) mergeable
  a = included(depth - 1);
  // A child of a final task is included: it is over here.
  if (omp_in_final() && a != 1L << (depth - 1)) a = -1000000;
#pragma omp task shared(b) final(depth <= 3) mergeable
  b = included(depth - 1);
#pragma omp taskwait
  return a + b;
}

static long final_tasks(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = included(5);
  return result;
}

static long priorities(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++)
#pragma omp task priority(i % 5) firstprivate(i) shared(sum)
  {
    block(i);
    add(&sum, i * 3);
  }
  return sum;
}

static long chain(void) {
  long x = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
    {
      long seen = x;
      block(i);
      x = seen * 2 + i;
    }
  }
  return x;
}

static long graph(void) {
  enum { S = 6 };
  long cell[S][S];
  memset(cell, 0, sizeof cell);
  for (int i = 0; i < S; i++) cell[0][i] = cell[i][0] = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i < S; i++)
    for (int j = 1; j < S; j++)
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j]) shared(cell) firstprivate(i, j)
    {
      block(i + j);
      cell[i][j] = cell[i - 1][j] + cell[i][j - 1];
    }
  return cell[S - 1][S - 1];
}

static long dependence_kinds(void) {
  long value = 0, readers = 0, in_turn = 0, result = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : value) shared(value)
    {
      block(1);
      value = 7;
    }
    for (int i = 0; i < 5; i++)
#pragma omp task depend(in : value) shared(value, readers) firstprivate(i)
    {
      block(i);
      add(&readers, value);
    }
    for (int i = 0; i < 6; i++)
#pragma omp task depend(mutexinoutset : in_turn) shared(in_turn) firstprivate(i)
    {
      long seen = in_turn;
      block(i);
      in_turn = seen + i;
    }
#pragma omp task depend(inout : value) depend(in : in_turn) shared(value, readers, result, in_turn)
    {
      block(2);
      result = value * 1000 + readers * 10 + in_turn;
    }
  }
  return result;
}

static long taskwait_depend(void) {
  long a = 0, b = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    {
      block(1);
      a = 5;
    }
#pragma omp task depend(out : b) shared(b)
    {
      block(2);
      block(3);
      b = 7;
    }
#pragma omp taskwait depend(in : a)
    seen = a;
#pragma omp task if (0) depend(in : b) shared(b, seen)
    {
      block(4);
      seen += b * 10;
    }
  }
  return seen;
}

static void spread(long *sum, int depth) {
  if (!depth) {
    block(depth);
    add(sum, 1);
    return;
  }
  for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(depth)
    spread(sum, depth - 1);  // nobody waits but the group
}

static long groups(void) {
  long sum = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      spread(&sum, 3);
#pragma omp taskgroup
      {
        spread(&sum, 1);
      }
      block(1);
    }
    seen = sum;
  }
  return seen;
}

static long group_in_task(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++)
#pragma omp task shared(sum)
  {
    long mine = 0;
#pragma omp taskgroup
    {
      spread(&mine, 2);
    }
    add(&sum, mine);
    block(1);
  }
  return sum;
}

static long group_reduction(void) {
  long sum = 0, most = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(max : most)
    {
      for (int i = 0; i < N; i++)
#pragma omp task in_reduction(+ : sum) in_reduction(max : most) firstprivate(i)
      {
        long seen = sum;
        block(i);
        sum = seen + i;
        if (i * 7 % 23 > most) most = i * 7 % 23;
      }
    }
  }
  return sum * 100 + most;
}

static long region_reduction(void) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(3)
  {
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    {
      block(i);
      sum += i;
    }
  }
  return sum;
}

static long loops(void) {
  long sum = 0, last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) shared(sum) lastprivate(last)
    for (int i = 0; i < 31; i++) {
      if (i % 3 == 0) block(i);
      add(&sum, i);
      last = i;
    }
    if (sum != 465) sum = -1;
    sum += last;
#pragma omp taskloop num_tasks(7) shared(sum)
    for (int i = 40; i > 0; i -= 2) {
      if (i % 4 == 0) block(i);
      add(&sum, i);
    }
#pragma omp taskloop nogroup shared(sum)
    for (long i = 0; i < 50; i++) {
      if (i % 10 == 0) block((int)i);
      add(&sum, 1);
    }
#pragma omp taskwait
#pragma omp taskloop if (0) shared(sum)
    for (int i = 0; i < 4; i++) {
      block(i);
      add(&sum, 10);
    }
#pragma omp taskloop collapse(2) shared(sum) grainsize(5) priority(2)
    for (unsigned i = 0; i < 5; i++)
      for (unsigned j = 0; j < 6; j++) {
        if (j == 0) block((int)i);
        add(&sum, i * j);
      }
  }
  return sum;
}

static long loop_reduction(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(2)
  for (int i = 0; i < N; i++) {
    block(i);
    sum += i;
  }
  return sum;
}

static long detached(void) {
  long sum = 0, late = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : late) shared(sum)
    {
      block(1);
      add(&sum, 1);
    }
#pragma omp task shared(late) firstprivate(event)
    {
      block(2);
      block(3);
      late = 5;
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : late) shared(sum, late)
    {
      block(4);
      add(&sum, late * 10);
    }
#pragma omp taskwait
    add(&sum, sum == 51 ? 100 : 0);
  }
  return sum;
}

static long nested_regions(void) {
  long sum = 0;
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++)
#pragma omp task shared(sum) firstprivate(i)
  {
    block(i);
#pragma omp parallel num_threads(2) shared(sum)
    {
#pragma omp single
      for (int j = 0; j < 4; j++)
#pragma omp task shared(sum) firstprivate(j)
      {
        block(j);
        add(&sum, j);
      }
#pragma omp for
      for (int j = 0; j < 4; j++) add(&sum, 10);
    }
    block(i + 1);
    add(&sum, 1000);
  }
  return sum;
}

/* A region in which no task is created, within one whose tasks wait: its barriers are its own. */
static long nested_without_tasks(void) {
  long sum = 0;
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(3) shared(sum)
#pragma omp single nowait
  {
    for (int i = 0; i < 4; i++)
#pragma omp task shared(sum) firstprivate(i)
    {
      block(i);
      add(&sum, 1);
    }
#pragma omp parallel num_threads(2) shared(sum)
    {
      add(&sum, 10);
#pragma omp barrier
      block(1);
      add(&sum, 10);
    }
  }
  return sum;
}

static long serialized_regions(void) {
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++)
#pragma omp task shared(sum) firstprivate(i)
  {
    block(i);
#pragma omp parallel if (i < 0) shared(sum)
    {
#pragma omp task shared(sum)
      {
        block(1);
        add(&sum, 7);
      }
    }
    block(i + 1);
    add(&sum, 100);
  }
  return sum;
}

static long from_sections_and_loops(void) {
  long sum = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      for (int i = 0; i < 5; i++)
#pragma omp task shared(sum) firstprivate(i)
      {
        block(i);
        add(&sum, i);
      }
#pragma omp section
      for (int i = 0; i < 5; i++)
#pragma omp task shared(sum) firstprivate(i)
      {
        block(i);
        add(&sum, i * 10);
      }
    }
#pragma omp for
    for (int i = 0; i < 8; i++)
#pragma omp task shared(sum) firstprivate(i)
    {
      block(i);
      add(&sum, i * 100);
    }
#pragma omp master
#pragma omp task shared(sum)
    {
      block(3);
      add(&sum, 100000);
    }
#pragma omp barrier
#pragma omp master
    add(&sum, sum >= 100000 ? 1000000 : 0);
  }
  return sum;
}

static long locks_held(void) {
  long sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task shared(sum, lock) firstprivate(i)
  {
    block(i);
    omp_set_lock(&lock);
    long seen = sum;
    block(i + 1);
    sum = seen + i;
    omp_unset_lock(&lock);
#pragma omp critical
    {
      long again = sum;
      block(i);
      sum = again + 0;
    }
  }
  omp_destroy_lock(&lock);
  return sum >= 0;
}

static long cancelled(void) {
  long begun = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < N; i++)
#pragma omp task shared(begun) firstprivate(i)
  {
    block(i);
    add(&begun, 1);
    if (i == 3) {
#pragma omp cancel taskgroup
    }
    block(i);
#pragma omp cancellation point taskgroup
  }
  return begun >= 1 && begun <= N && (omp_get_cancellation() || begun == N);
}

static long many(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2000; i++)
#pragma omp task firstprivate(i) shared(sum)
  {
    if (i % 8 == 0) block(i);
    add(&sum, i);
  }
  return sum;
}

static long copied(void) {
  long sum = 0;
#pragma omp parallel num_threads(3)
  {
    long mine = 0;
#pragma omp single copyprivate(mine)
    {
#pragma omp task shared(mine)
      {
        block(1);
        mine = 11;
      }
#pragma omp taskwait
    }
    add(&sum, mine == 11);
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 6; i++) sum += i;
  }
  return sum > 15;
}

/* All that is made in a final task is done at once. */
static long undeferred_final(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int y = 0, final = 0;
#pragma omp task if (0) final(1) shared(y, final)
    {
#pragma omp task shared(y)
      {
        block(1);
        y = 42;
      }
      final = omp_in_final() && y == 42;
    }
    sum += final;
  }
  return sum;
}

/* Who is done before its children. */
static long undeferred_children(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp taskgroup
    for (int k = 0; k < 8; k++) {
#pragma omp task if (0) shared(sum)
      {
#pragma omp task shared(sum)
        {
          block(1);
#pragma omp atomic
          sum++;
        }
      }
#pragma omp task shared(sum)
      {
#pragma omp atomic
        sum++;
      }
    }
#pragma omp taskloop untied if (0) grainsize(2) shared(sum)
    for (int k = 0; k < 8; k++) {
#pragma omp taskyield
#pragma omp atomic
      sum++;
    }
  }
  return sum;
}

static const struct {
  const char *name;
  long (*run)(void);
} constructs[] = {
    {"plain", plain},
    {"from_every_thread", from_every_thread},
    {"tree", tree},
    {"untied", untied},
    {"undeferred", undeferred},
    {"undeferred_final", undeferred_final},
    {"undeferred_children", undeferred_children},
    {"final", final_tasks},
    {"priority", priorities},
    {"depend_chain", chain},
    {"depend_graph", graph},
    {"depend_kinds", dependence_kinds},
    {"taskwait_depend", taskwait_depend},
    {"taskgroup", groups},
    {"taskgroup_in_task", group_in_task},
    {"task_reduction", group_reduction},
    {"region_reduction", region_reduction},
    {"taskloop", loops},
    {"taskloop_reduction", loop_reduction},
    {"detach", detached},
    {"nested", nested_regions},
    {"nested_without_tasks", nested_without_tasks},
    {"serialized", serialized_regions},
    {"sections_and_loops", from_sections_and_loops},
    {"locks", locks_held},
    {"cancel", cancelled},
    {"many", many},
    {"copyprivate", copied},
};

int main(int count, char **argument) {
  int times = count > 1 ? atoi(argument[1]) : 1;
  for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++) {
    if (count > 2 && strcmp(argument[2], constructs[i].name)) continue;
    long first = constructs[i].run();
    int same = 1;
    for (int t = 1; t < times; t++) same += constructs[i].run() == first;
    printf("%s %ld, the same %s\n", constructs[i].name, first, same == (times > 1 ? times : 1) ? "each time" : "NOT EACH TIME");
    fflush(stdout);
  }
  return 0;
}
