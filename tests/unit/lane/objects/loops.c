/* SPDX-License-Identifier: Apache-2.0 */
/* Loops around a call of take(): counted_ ends when a counter does, open_ when there is nothing more to take, straight_ is none. */
#include <stdlib.h>

struct shared {
  long next, count, sum;
  struct shared *following;
};

/* Somebody else's, as a lock, a reader, a queue is. */
long weir_test_take(struct shared *from);
void weir_test_give_back(struct shared *to);
long weir_test_work(long on);

long counted_up(struct shared *s, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    long worked = weir_test_work(i);
    weir_test_take(s);
    s->sum += worked;
    weir_test_give_back(s);
    sum += worked;
  }
  return sum;
}

long counted_down(struct shared *s, int n) {
  long sum = 0;
  while (n--) sum += weir_test_take(s);
  return sum;
}

long counted_in_steps(struct shared *s, long n) {
  long sum = 0;
  for (long i = 3; i < n; i += 7) sum += weir_test_work(i) + weir_test_take(s);
  return sum;
}

/* As iterators do. */
long counted_by_pointer(struct shared *begin, struct shared *end) {
  long sum = 0;
  for (; begin != end; ++begin) sum += weir_test_take(begin);
  return sum;
}

long counted_by_constant(struct shared *s) {
  long sum = 0;
  for (int i = 0; i < 1000; ++i) sum += weir_test_take(s);
  return sum;
}

long counted_with_a_way_out(struct shared *s, int n) {
  for (int i = 0; i < n; ++i) {
    if (!weir_test_take(s)) return i;
    weir_test_work(i);
  }
  return -1;
}

long counted_within_counted(struct shared *s, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) sum += weir_test_take(s) + weir_test_work(i + j);
    sum ^= weir_test_work(sum);
  }
  return sum;
}

/* With more that lives than there are registers. */
long counted_crowded(struct shared *s, int n, long a, long b, long c) {
  long d = 1, e = 2, f = 3, g = 4;
  for (int i = 0; i < n; ++i) {
    long x = weir_test_take(s);
    a += x ^ d, b ^= x + e, c += x * f, d ^= x | g, e += x & a, f -= x ^ b, g += x + c;
    weir_test_work(a + b + c + d + e + f + g);
  }
  return a + b + c + d + e + f + g;
}

long open_while(struct shared *s) {
  long sum = 0, item;
  while ((item = weir_test_take(s))) sum += weir_test_work(item);
  return sum;
}

long open_for_ever(struct shared *s) {
  long sum = 0;
  for (;;) {
    weir_test_take(s);
    long item = weir_test_work(s->next);
    int good = item > 0;
    weir_test_give_back(s);
    if (!good) break;
    for (int i = 0; i < 100; ++i) sum += weir_test_work(item + i);
  }
  return sum;
}

/* Under a lock. */
long open_by_shared_counter(struct shared *s) {
  long sum = 0;
  for (;;) {
    weir_test_take(s);
    long i = s->next++;
    weir_test_give_back(s);
    if (i >= s->count) return sum;
    sum += weir_test_work(i);
  }
}

long open_by_shared_counter_first(struct shared *s) {
  long sum = 0, i;
  do {
    weir_test_take(s);
    i = s->next++;
    weir_test_give_back(s);
    if (i < s->count) sum += weir_test_work(i);
  } while (i < s->count);
  return sum;
}

/* Where the outer loop does nothing before, both may begin at the same instruction: then they are one, which a count ends. */
long open_within_counted(struct shared *s, int n) {
  long sum = 0, item;
  for (int i = 0; i < n; ++i) {
    sum ^= weir_test_work(i);
    while ((item = weir_test_take(s + i))) sum += weir_test_work(item);
  }
  return sum;
}

long open_and_gathers(struct shared *s) {
  long *kept = NULL, count = 0, room = 0, item;
  while ((item = weir_test_take(s)) > 0) {
    if (count == room) kept = realloc(kept, (unsigned long)(room = 2 * room + 16) * sizeof *kept);
    kept[count++] = weir_test_work(item);
  }
  long last = count ? kept[count - 1] : 0;
  free(kept);
  return last;
}

long open_server(struct shared *s) {
  for (;;) {
    long item = weir_test_take(s);
    if (item >= 0) weir_test_work(item);
  }
}

long straight(struct shared *s) { return weir_test_work(weir_test_take(s)); }
