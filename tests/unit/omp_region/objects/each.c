/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that share a loop out. In seen_ ones each thread does something beside it that others see; in quiet_ ones none does. */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#ifndef SHARED
#define SHARED "omp for schedule(dynamic)"
#endif
#define LOOP _Pragma(SHARED) for (int i = 0; i < 100; ++i)

static long sum, threads;
static char *gathered;
static int verbose;

static APART void work(int i) {
  char byte;
  if (pread(0, &byte, 1, i) == 1) __atomic_fetch_add(&sum, byte, __ATOMIC_RELAXED);
}

void seen_line(void) {
#pragma omp parallel
  {
    puts("begins");
    LOOP work(i);
  }
}

void seen_affinity(void) {
#pragma omp parallel
  {
    omp_display_affinity(NULL);
    LOOP work(i);
  }
}

/* What a library writes as it was told to. */
void g_print(const char *format, ...);
void seen_by_handler(void) {
#pragma omp parallel
  {
    g_print("begins");
    LOOP work(i);
  }
}

void seen_line_after(void) {
#pragma omp parallel
  {
    LOOP work(i);
#pragma omp critical
    printf("sum by now: %ld\n", sum);
  }
}

void seen_if_wanted(void) {
#pragma omp parallel
  {
    if (verbose) puts("begins");
    LOOP work(i);
  }
}

static APART void tell(const char *what) {
  write(1, what, 1);
  ++verbose;
}
void seen_elsewhere(void) {
#pragma omp parallel
  {
    tell("b");
    LOOP work(i);
  }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void seen_count_locked(void) {
#pragma omp parallel
  {
    pthread_mutex_lock(&mutex);
    ++threads;
    pthread_mutex_unlock(&mutex);
    LOOP work(i);
  }
}

static omp_lock_t lock;
void seen_count_with_lock(void) {
#pragma omp parallel
  {
    omp_set_lock(&lock);
    ++threads;
    omp_unset_lock(&lock);
    LOOP work(i);
  }
}

static APART void enter(void) { pthread_mutex_lock(&mutex); }
static APART void leave(void) { pthread_mutex_unlock(&mutex); }
void seen_count_guarded(void) {
#pragma omp parallel
  {
    enter();
    ++threads;
    leave();
    LOOP work(i);
  }
}

static APART void count_one(void) { __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED); }
void seen_count_elsewhere(void) {
#pragma omp parallel
  {
    count_one();
    LOOP work(i);
  }
}

void seen_bytes(void) {
#pragma omp parallel
  {
    __atomic_fetch_add(&threads, 4096, __ATOMIC_RELAXED);
    LOOP work(i);
  }
}

void seen_on_each_way(void) {
#pragma omp parallel
  {
    if (verbose) __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    else __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    LOOP work(i);
  }
}

void seen_reading(void) {
#pragma omp parallel
  {
    char byte;
    if (read(0, &byte, 1) == 1) work(byte);
    LOOP work(i);
  }
}

void seen_reading_alone(void) {
#pragma omp parallel
  {
    int number = 0;
#pragma omp critical
    if (scanf("%d", &number) != 1) number = 0;
    LOOP work(i + number);
  }
}

static long next_piece;
void seen_beside_takers(void) {
#pragma omp parallel
  {
    __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    for (long i; (i = __atomic_fetch_add(&next_piece, 1, __ATOMIC_RELAXED)) < 100;) work((int)i);
  }
}

static APART void context(void) { sum += (long)pthread_self(); }
void seen_who_in_loop(void) {
#pragma omp parallel
  {
    LOOP {
      context();
      work(i);
    }
  }
}

void quiet_reading_its_own(void) {
#pragma omp parallel
  {
    char byte = 0;
    int own = open("/dev/null", O_RDONLY);
    if (read(own, &byte, 1) != 1) byte = 1;
    LOOP work(i + byte);
    close(own);
  }
}

void seen_by_task(void) {
#pragma omp parallel
  {
#pragma omp task
    puts("a task");
    LOOP work(i);
  }
}

void seen_hello(void) {
#pragma omp parallel
  {
    work(0);
    printf("hello from %d of %d\n", omp_get_thread_num(), omp_get_num_threads());
  }
}

void seen_count(void) {
#pragma omp parallel
  {
#pragma omp atomic
    threads++;
    LOOP work(i);
  }
}

void seen_count_alone(void) {
#pragma omp parallel
  {
    LOOP work(i);
#pragma omp critical
    ++threads;
  }
}

void seen_number(long *of) {
#pragma omp parallel
  {
    long mine;
#pragma omp atomic capture
    mine = threads++;
    LOOP of[mine] += i;
  }
}

void seen_number_alone(long *of) {
#pragma omp parallel
  {
    long mine;
#pragma omp critical
    mine = threads++;
    LOOP of[mine] += i;
  }
}

void seen_count_beside(void) { /* passes are counted, too */
#pragma omp parallel
  {
#pragma omp atomic
    threads++;
    LOOP {
      work(i);
#pragma omp atomic
      sum++;
    }
  }
}

void seen_who(unsigned long *who) {
#pragma omp parallel
  {
    LOOP who[i] = (unsigned long)pthread_self();
  }
}

void seen_in_switch(int how) {
#pragma omp parallel
  {
    switch (how) {
      case 0: work(1); break;
      case 1: work(7); break;
      case 2: puts("begins"); break;
      case 3: work(4); sum += how; break;
      case 4: work(9); break;
      case 5: sum ^= 77; work(how); break;
    }
    LOOP work(i);
  }
}

/* As a vector is pushed to. */
static void **end_of_all, **end_of_room;
static APART void more_room(void *what) { *end_of_all++ = what; }
void seen_pushed(void) {
#pragma omp parallel
  {
    void *mine = malloc(1000);
#pragma omp critical
    {
      if (end_of_all != end_of_room) *end_of_all++ = mine;
      else more_room(mine);
    }
    LOOP work(i);
  }
}

void seen_semaphore(sem_t *of) {
#pragma omp parallel
  {
    LOOP work(i);
    sem_post(of);
  }
}

struct Of {
  void (*begins)(void);
};
static void (*volatile begins)(void);
void seen_pointer(const struct Of *of) {
#pragma omp parallel
  {
    of->begins();
    LOOP work(i);
  }
}
void seen_pointer_kept(void) {
#pragma omp parallel
  {
    begins();
    LOOP work(i);
  }
}

void seen_file(const char *name) {
#pragma omp parallel
  {
    FILE *mine = fopen(name, "a");
    LOOP work(i);
    if (mine) fclose(mine);
  }
}
void seen_file_made(const char *name) {
#pragma omp parallel
  {
    int mine = open(name, O_WRONLY | O_CREAT, 0600);
    LOOP work(i);
    close(mine);
  }
}
static APART FILE *opened_as(const char *name, const char *how) { return fopen(name, how); }
void seen_file_in_doubt(const char *name, const char *how) {
#pragma omp parallel
  {
    FILE *mine = opened_as(name, how);
    LOOP work(i);
    if (mine) fclose(mine);
  }
}

void quiet_switch(int how) {
#pragma omp parallel
  {
#pragma omp single
    puts("begins");
    LOOP {
      switch ((i + how) & 7) {
        case 0: work(1); break;
        case 1: work(7); break;
        case 2: puts("passes"); break;
        case 3: work(4); sum += how; break;
        case 4: work(9); break;
        case 5: sum ^= 77; work(how); break;
      }
    }
  }
}

void quiet_by_one(void) {
#pragma omp parallel
  {
#pragma omp single
    {
      puts("begins");
      ++threads;
    }
    LOOP work(i);
  }
}

/* (Where its loop is shared out by number gcc asks for the number once, for both.) */
void quiet_by_master(void) {
#pragma omp parallel
  {
    LOOP work(i);
#pragma omp master
    puts("ends");
  }
}

void quiet_sections(void) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      puts("one");
#pragma omp section
      puts("two");
    }
    LOOP work(i);
  }
}

void quiet_pieces(void) {
#pragma omp parallel
  {
    LOOP {
      work(i);
      printf("%d\n", i);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
      work(i);
      printf("%d\n", i);
    }
  }
}

void quiet_file(const char *name) {
#pragma omp parallel
  {
    FILE *mine = fopen(name, "r");
    if (!mine) {
      perror(name);
      exit(1);
    }
    LOOP {
      char room[16];
      fseek(mine, i * 16L, SEEK_SET);
      if (fread(room, 1, sizeof room, mine) > 0) work(i);
    }
    fclose(mine);
  }
}

void quiet_number(const char *name) {
#pragma omp parallel
  {
    int mine = open(name, O_RDONLY);
    char *room = malloc(100);
    LOOP {
      if (pread(mine, room, 100, i * 100L) > 0) work(i);
#pragma omp atomic
      sum++;
    }
    free(room);
    close(mine);
  }
}

static APART void die(const char *what) {
  perror(what);
  abort();
}
static APART FILE *opened(const char *name) {
  FILE *file = fopen(name, "r");
  if (!file) fprintf(stderr, "no %s\n", name);
  return file;
}
void quiet_errors(const char *name) {
#pragma omp parallel
  {
    FILE *mine = opened(name);
    if (!mine) die(name);
    LOOP {
      if (fgetc(mine) >= 0) work(i);
    }
    fclose(mine);
  }
}

/* What each adds of its own to what is made one of all. */
static APART long got(int i) {
  char byte;
  return pread(0, &byte, 1, i);
}

long seen_reduced(void) {
  long count = 0, all = 0;
#pragma omp parallel reduction(+ : count, all)
  {
    ++count;
    LOOP {
      work(i);
      all += i;
    }
  }
  return count + all;
}

long seen_reduced_after(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  {
    LOOP work(i);
    count += 3;
  }
  return count;
}

long seen_reduced_with_pieces(void) {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    all = 1;
    LOOP {
      work(i);
      all += i;
    }
  }
  return all;
}

long seen_reduced_if_any(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  {
    int any = 0;
    LOOP {
      work(i);
      any = 1;
    }
    if (any) ++count;
  }
  return count;
}

void seen_count_if_any(void) {
#pragma omp parallel
  {
    int any = 0;
    LOOP {
      work(i);
      any = 1;
    }
    if (any) {
#pragma omp atomic
      ++threads;
    }
  }
}

struct counted {
  void *way;
  int uses, weak;
};
/* An owner among several, as shared_ptr has it: it counts what it counts down again, where there are threads. */
void quiet_owners(struct counted *all) {
#pragma omp parallel
  {
    if (verbose) __atomic_fetch_add(&all->uses, 1, __ATOMIC_RELAXED);
    LOOP work(i);
    if (verbose) __atomic_fetch_sub(&all->uses, 1, __ATOMIC_RELAXED);
  }
}

/* In a loop beside, that nobody shares out. */
long seen_in_own_loop(int of) {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    for (int k = 0; k < of; ++k) all += 3;
    LOOP all += got(i);
  }
  return all;
}

long seen_in_own_loop_that_waits(int of) {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    LOOP work(i);
    for (int k = 0; k < of; ++k) {
      usleep(100);
      all += verbose;
    }
  }
  return all;
}

/* By a function that is told how many. */
static APART void add(long more) {
#pragma omp atomic
  sum += more;
}
void seen_told_to_add(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP mine += got(i);
    add(mine + 1);
  }
}

struct field {
  long first;
  int count;
};
void seen_in_field(struct field *all) {
#pragma omp parallel
  {
    if (verbose) __atomic_fetch_add(&all->count, 1, __ATOMIC_RELAXED);
    LOOP work(i);
  }
}

void seen_number_if_wanted(long *all) {
#pragma omp parallel
  {
    if (verbose) all[__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED)] = 1;
    LOOP work(i);
  }
}

void quiet_told_to_add(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP mine += got(i);
    add(mine);
  }
}

/* As containers are: two addresses, whose distance is how much they hold. */
struct span {
  char *begin, *end;
};
static APART void grow(struct span *all, int i) {
  all->begin = realloc(all->begin, i + 1);
  all->end = all->begin + i;
}
void quiet_container(void) {
#pragma omp parallel
  {
    struct span mine = {0, 0};
    LOOP grow(&mine, i);
#pragma omp critical
    sum += mine.end - mine.begin;
    free(mine.begin);
  }
}

void quiet_reserved(void) {
#pragma omp parallel
  {
    struct span mine;
    mine.begin = mine.end = malloc(100);
    LOOP grow(&mine, i);
#pragma omp critical
    sum += mine.end - mine.begin;
    free(mine.begin);
  }
}

void seen_added(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP mine += got(i);
#pragma omp atomic
    sum += mine + 1;
  }
}

void seen_added_alone(void) {
#pragma omp parallel
  {
    long mine = 5;
    LOOP mine += got(i);
#pragma omp critical
    sum += mine;
  }
}

void seen_added_more(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP mine += got(i);
    long more = mine + 1;
#pragma omp atomic
    sum += more;
#pragma omp atomic write
    threads = mine;
  }
}

struct pair {
  long first, second;
};
static APART void add_to_pair(struct pair *to, long what) { to->first += what, to->second -= what; }

void seen_second_slot(void) {
#pragma omp parallel
  {
    struct pair mine = {0, 5};
    LOOP add_to_pair(&mine, got(i));
#pragma omp atomic
    sum += mine.second;
  }
}

void quiet_second_slot(void) {
#pragma omp parallel
  {
    struct pair mine = {0, 0};
    LOOP add_to_pair(&mine, got(i));
#pragma omp atomic
    sum += mine.second;
  }
}

#define TIMES_4(what) what what what what
void quiet_unrolled(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP {
      unsigned long mixed = (unsigned long)got(i);
      TIMES_4(TIMES_4(TIMES_4(TIMES_4(mixed = (mixed ^ mixed >> 7) * 31;))))
      mine += (long)mixed;
    }
#pragma omp atomic
    sum += mine;
  }
}

void seen_added_turned(void) {
#pragma omp parallel
  {
    long mine = 7;
    LOOP {
      long before = mine;
      mine = got(i) + mine;
      work(before);
    }
#pragma omp atomic
    sum += mine;
  }
}

void seen_added_given(long mine) {
#pragma omp parallel firstprivate(mine)
  {
    LOOP mine += got(i);
#pragma omp atomic
    sum += mine;
  }
}

long seen_reduced_both(void) {
  long all = 0, some = 0;
#pragma omp parallel reduction(+ : all, some)
  {
    all = some = 1;
    LOOP {
      all += got(i);
      some += got(i + 1);
    }
  }
  return all * some;
}

long quiet_reduced_both(void) {
  long all = 0, some = 0;
#pragma omp parallel reduction(+ : all, some)
  LOOP {
    all += got(i);
    some += got(i + 1);
  }
  return all * some;
}

void quiet_added_less(void) {
#pragma omp parallel
  {
    long mine = 0, other = 0;
    LOOP {
      mine += got(i);
      other += got(i + 1);
    }
    long less = mine < other ? mine : other;
#pragma omp atomic
    sum += less * 1000;
  }
}

long quiet_reduced(void) {
  long all = 0;
  int some = 0;
#pragma omp parallel reduction(+ : all, some)
  {
    LOOP {
      work(i);
      all += i;
      if (i % 3) ++some;
    }
  }
  return all + some;
}

long quiet_reduced_by_one(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  {
#pragma omp single
    {
      work(-1);
      ++count;
    }
    LOOP {
      work(i);
      count += i & 1;
    }
  }
  return count;
}

long quiet_reduced_inner(void) {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    LOOP {
      char some[16];
      long got = pread(0, some, sizeof(some), i);
      long mine = 1;
      for (long k = 0; k < got; ++k) mine += some[k];
      all += mine;
    }
  }
  return all;
}

void quiet_added(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP mine += got(i);
#pragma omp atomic
    sum += mine * 512;
  }
}

void quiet_sum(void) {
#pragma omp parallel
  {
    long mine = 0, most = 0;
    LOOP {
      work(i);
      mine += i;
      if (i > most) most = i;
    }
#pragma omp critical
    {
      sum += mine;
      if (most > threads) threads = most;
    }
  }
}

void quiet_takers(void) {
  long next = 0;
#pragma omp parallel
  for (;;) {
    long item;
#pragma omp atomic capture
    item = next++;
    if (item >= 100) break;
    work((int)item);
  }
}

void quiet_takers_alone(void) {
  long next = 0;
#pragma omp parallel
  for (int more = 1; more;) {
    long item = 0;
#pragma omp critical
    {
      more = next < 100;
      if (more) item = next++;
    }
    if (more) work((int)item);
  }
}

void seen_number_asked(void) {
  long passed = 0, of = 0;
#pragma omp parallel
  {
    LOOP work(i);
#pragma omp single
    of = omp_get_num_threads();
#pragma omp atomic
    ++passed;
  }
  sum += passed == of;
}

/* Memory that each thread has beside the loop. */
#define WITH_MEMORY(name, parameter, memory)                    \
  void name(long parameter) {                                   \
    _Pragma("omp parallel") {                                   \
      char *room = memory;                                      \
      LOOP {                                                    \
        if (pread(0, room, 100, i * 100L) > 0) work(room[i]);   \
      }                                                         \
      free(room);                                               \
    }                                                           \
  }
WITH_MEMORY(much_memory, n, malloc(64 << 20))
WITH_MEMORY(memory_of_many, n, calloc(1 << 20, 64))
WITH_MEMORY(memory_by_size, n, malloc((size_t)n))
WITH_MEMORY(memory_by_count, n, calloc((size_t)n, 8))
WITH_MEMORY(memory_if_any, n, n > 0 ? malloc((size_t)n) : NULL)
WITH_MEMORY(memory_by_more, n, malloc((size_t)(n / 3 * 5 + 100) << 2))
WITH_MEMORY(little_memory, n, malloc(1 << 16))
WITH_MEMORY(memory_of_few, n, calloc(1000, 8))

void memory_of_all(void) {
#pragma omp parallel
  {
    struct span mine = {malloc(100)};
    mine.end = mine.begin;
    LOOP work(i), grow(&mine, i);
#pragma omp critical
    {
      char *joined = realloc(gathered, (size_t)(sum + (mine.end - mine.begin)));
      if (joined) gathered = joined, sum += mine.end - mine.begin;
    }
    free(mine.begin);
  }
}

void memory_rounded_up(long n) {
#pragma omp parallel
  {
    size_t bytes = 4096;
    while (bytes < (size_t)n) bytes *= 2;
    char *room = malloc(bytes);
    LOOP {
      if (pread(0, room, 100, i * 100L) > 0) work(room[i]);
    }
    free(room);
  }
}

void memory_as_told(long n) {
#pragma omp parallel
  {
    size_t bytes = 0;
    if (pread(0, &bytes, sizeof bytes, n) < 0) bytes = 1;
    char *room = malloc(bytes);
    LOOP {
      if (pread(0, room, 100, i * 100L) > 0) work(room[i]);
    }
    free(room);
  }
}

static volatile int mark = 3;
static long out[16];
void seen_in_looping_case(int mode) {
#pragma omp parallel
  {
    switch (mode) {
      case 0:
        do mark = mark; while (mark < 0);
        puts("mode 0");
        break;
      case 1: out[0] = 7; break;
      case 2: out[1] = out[2] * 3; break;
      case 3: out[3] = mark; break;
      case 4: out[5] = 9; usleep(1); break;
      case 5: out[6] = mark * 2; break;
      case 6: out[7] = mark + out[3]; break;
      default: out[8] = mark;
    }
    LOOP work(i);
  }
}

/* A name of the object's own, which nobody else sees where it is loaded for itself. */
APART void tell_by_name(void) {
  write(1, "told", 4);
  ++verbose;
}
void seen_by_name(void) {
#pragma omp parallel
  {
    tell_by_name();
    LOOP work(i);
  }
}

/* More of them than are read. */
#define ONE(n) \
  static APART void one_of_many_##n(void) { out[(n) % 16] += n; }
#define CALL(n) one_of_many_##n();
#define TEN(of, d) of(d##0) of(d##1) of(d##2) of(d##3) of(d##4) of(d##5) of(d##6) of(d##7) of(d##8) of(d##9)
#define HUNDRED(of, d) \
  TEN(of, d##0) TEN(of, d##1) TEN(of, d##2) TEN(of, d##3) TEN(of, d##4) TEN(of, d##5) TEN(of, d##6) TEN(of, d##7) TEN(of, d##8) TEN(of, d##9)
HUNDRED(ONE, 1) HUNDRED(ONE, 2) HUNDRED(ONE, 3)
void seen_beyond_many(void) {
#pragma omp parallel
  {
    HUNDRED(CALL, 1) HUNDRED(CALL, 2) HUNDRED(CALL, 3)
    tell("b");
    LOOP work(i);
  }
}
