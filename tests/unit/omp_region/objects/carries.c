/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that share a loop out by number. In carried_ ones a thread takes something of its own from pass to pass; in free_ ones none does,
 * or those who do take the passes as they come. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define LOOP _Pragma("omp for schedule(static)") for (int i = 0; i < 100; ++i)

static long sum;

static APART void work(long i) {
  char byte;
  if (pread(0, &byte, 1, i) == 1) __atomic_fetch_add(&sum, byte, __ATOMIC_RELAXED);
}

void carried_seed(void) {
  unsigned seed = 42;
#pragma omp parallel for firstprivate(seed)
  for (int i = 0; i < 100; ++i) work(rand_r(&seed));
}

void carried_seed_of_region(void) {
#pragma omp parallel
  {
    unsigned short state[3] = {1, 2, 3};
    LOOP work(nrand48(state));
  }
}

struct Random {
  unsigned long state[4];
  int used;
};
APART void begin_random(struct Random *r, unsigned long with) {
  for (int i = 0; i < 4; ++i) r->state[i] = with + (unsigned long)i;
  r->used = 0;
}
APART unsigned long next_random(struct Random *r) { return r->state[r->used++ & 3] += r->state[0] << 3; }
void carried_object(void) {
#pragma omp parallel
  {
    struct Random mine;
    begin_random(&mine, 7);
    LOOP work((long)next_random(&mine));
  }
}

struct Much {
  unsigned long state[300];
};
APART unsigned long next_of_much(struct Much *m) { return m->state[0] = m->state[0] * 5 + m->state[299]; }
void carried_copy(const struct Much *first) {
  struct Much mine = *first;
#pragma omp parallel for firstprivate(mine)
  for (int i = 0; i < 100; ++i) work((long)next_of_much(&mine));
}

APART struct Random *made_random(unsigned long with) {
  struct Random *r = malloc(sizeof *r);
  begin_random(r, with);
  return r;
}
void carried_from_heap(void) {
#pragma omp parallel
  {
    struct Random *mine = made_random(7);
    LOOP work((long)next_random(mine));
    free(mine);
  }
}
void carried_in_room_of_its_own(void) {
#pragma omp parallel
  {
    struct Random *mine = malloc(sizeof *mine);
    begin_random(mine, 7);
    LOOP work((long)next_random(mine));
    free(mine);
  }
}

/* Its address stays in a register. */
void carried_often(void) {
#pragma omp parallel
  {
    struct Random mine;
    begin_random(&mine, 7);
    LOOP {
      for (int n = 0; n < 10; ++n) work((long)(next_random(&mine) ^ next_random(&mine)));
    }
  }
}

void free_room(void) {
#pragma omp parallel
  {
    char room[4096];
    LOOP {
      ssize_t bytes = pread(0, room, sizeof room, i * 4096L);
      for (ssize_t n = 0; n < bytes; ++n) work(room[n]);
    }
  }
}

void free_room_cleared(void) {
#pragma omp parallel
  {
    char room[64];
    memset(room, 0, sizeof room);
    LOOP {
      if (pread(0, room, sizeof room, i * 64L) > 0) work(room[3]);
    }
  }
}

void free_room_asked_for(void) {
  const long bytes = 4096;
#pragma omp parallel
  {
    char *room = malloc(4096);
    LOOP {
      if (pread(0, room, (size_t)bytes, i * bytes) > 0) work(room[3]);
    }
    free(room);
  }
}

static APART long of_room(const char *room, long bytes) {
  long all = 0;
  for (long n = 0; n < bytes; ++n) all += room[n];
  return all;
}
void free_room_read_elsewhere(void) {
  const long bytes = 4096;
#pragma omp parallel
  {
    char *room = malloc(4096);
    LOOP {
      if (pread(0, room, (size_t)bytes, i * bytes) > 0) work(of_room(room, bytes));
    }
    free(room);
  }
}

static APART int how_many(void) { return (int)(sum & 15); }
static APART void work_of(int i, int many) { work(i * many); }
void free_count(void) {
#pragma omp parallel
  {
    int many = how_many();
    LOOP work_of(i, many);
  }
}

void free_time(void) {
#pragma omp parallel
  {
    struct timespec a_while = {0, 50000};
    LOOP {
      nanosleep(&a_while, 0);
      work(i);
    }
  }
}

long free_sum(void) {
  long all = 0, most = 0;
#pragma omp parallel for schedule(static) reduction(+ : all) reduction(max : most)
  for (int i = 0; i < 100; ++i) {
    char byte = 0;
    if (pread(0, &byte, 1, i) != 1) continue;
    all += byte;
    if (byte > most) most = byte;
  }
  return all + most;
}

void free_by_pass(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 100; ++i) {
    struct Random mine;
    begin_random(&mine, (unsigned long)i);
    work((long)next_random(&mine));
  }
}

/* What comes behind the loop may have the place of what was in it. */
APART void fill(struct Random *r, long i) { begin_random(r, (unsigned long)i); }
APART void sum_of(const long *all) { sum += *all; }
void free_behind(void) {
#pragma omp parallel
  {
    long mine = 0;
    LOOP {
      struct Random here;
      fill(&here, i);
      work((long)next_random(&here));
      mine += i;
    }
    {
      long copy[6] = {mine, 1, 2, 3, 4, 5};
      sum_of(copy);
    }
  }
}

void free_line(void) {
#pragma omp parallel
  {
    char line[256];
    LOOP {
      snprintf(line, sizeof line, "/tmp/part.%d", i);
      FILE *file = fopen(line, "r");
      if (!file) continue;
      while (fgets(line, sizeof line, file)) work(line[0]);
      fclose(file);
    }
  }
}

void free_by_chance(void) {
  unsigned seed = 42;
#pragma omp parallel for firstprivate(seed) schedule(dynamic)
  for (int i = 0; i < 100; ++i) work(rand_r(&seed));
}

void carried_seed_of_table(unsigned *seeds) {
#pragma omp parallel
  {
    LOOP work(rand_r(&seeds[omp_get_thread_num()]));
  }
}

void carried_lines(void) {
#pragma omp parallel
  {
    char line[16];
    FILE *own = fopen("lines", "r");
    LOOP if (fgets(line, sizeof line, own)) work(line[0]);
    fclose(own);
  }
}

void carried_bytes(void) {
#pragma omp parallel
  {
    char byte;
    int own = open("bytes", O_RDONLY);
    LOOP if (read(own, &byte, 1) == 1) work(byte);
    close(own);
  }
}

void free_records(void) {
#pragma omp parallel
  {
    char byte;
    int own = open("bytes", O_RDONLY);
    LOOP {
      lseek(own, i, SEEK_SET);
      if (read(own, &byte, 1) == 1) work(byte);
    }
    close(own);
  }
}

static __thread unsigned thread_seed = 3;
void carried_by_thread(void) {
#pragma omp parallel
  {
    LOOP work(rand_r(&thread_seed));
  }
}

static APART int drawn(void) { return (int)(thread_seed = thread_seed * 5 + 1); }
void carried_by_thread_elsewhere(void) {
#pragma omp parallel
  {
    LOOP work(drawn());
  }
}
