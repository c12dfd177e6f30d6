// SPDX-License-Identifier: Apache-2.0
// Regions as C++ programs have them. Argument: which.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int items = 100;
long sum = 0, entered = 0;
std::mutex mutex;

long work(int i) {
  usleep(2000);
  return i;
}

void add(long what) {
#pragma omp atomic
  sum += what;
}

struct Reader {
  explicit Reader(int item) : at(item) {
    if (item % 10 == 3) throw std::runtime_error("none there");
  }
  ~Reader();
  int at;
};
[[gnu::noinline]] Reader::~Reader() { add(1); }

// What catches an exception leads back into the loop.
void catches() {
#pragma omp parallel for
  for (int i = 0; i < items; ++i) {
    try {
      Reader reader(i);
      add(work(reader.at));
    } catch (const std::exception&) {
      add(1000);
    }
  }
}

void has_a_buffer() {
  const std::size_t bytes = std::strtoul(std::getenv("BYTES"), nullptr, 10);
#pragma omp parallel
  {
    std::vector<char> buffer(bytes);
#pragma omp for
    for (int i = 0; i < items; ++i) add(work(i) + buffer[static_cast<std::size_t>(i)]);
  }
}

void counts_with_a_guard() {
#pragma omp parallel
  {
    {
      std::lock_guard<std::mutex> held(mutex);
      ++entered;
    }
#pragma omp for
    for (int i = 0; i < items; ++i) add(work(i));
  }
}

#ifdef WITH_KEYS
// Each thread's own, by its key, or below by its id; what was filled in one region is taken out in the next.
void keeps_by_key() {
  pthread_key_t key;
  if (pthread_key_create(&key, nullptr)) std::abort();
#pragma omp parallel for
  for (int i = 0; i < items; ++i) {
    auto* mine = static_cast<long*>(pthread_getspecific(key));
    if (!mine) pthread_setspecific(key, mine = new long(0));
    *mine += work(i);
  }
#pragma omp parallel
  {
    if (auto* mine = static_cast<long*>(pthread_getspecific(key))) add(*mine);
#pragma omp barrier
  }
}

#endif

[[gnu::noinline]] long& mine() {
  static std::map<std::thread::id, long> all;
  std::lock_guard<std::mutex> held(mutex);
  return all[std::this_thread::get_id()];
}
void keeps_by_id() {
#pragma omp parallel for
  for (int i = 0; i < items; ++i) mine() += work(i);
#pragma omp parallel
  add(mine());
}

}  // namespace

int main(int count, char** words) {
  struct {
    const char* name;
    void (*run)();
  } const kinds[] = {{"catches", catches}, {"buffer", has_a_buffer}, {"guard", counts_with_a_guard}, {"id", keeps_by_id},
#ifdef WITH_KEYS
               {"key", keeps_by_key},
#endif
  };
  const std::string wanted = count > 1 ? words[1] : "";
  for (const auto& kind : kinds) {
    if (wanted == kind.name) kind.run();
  }
  std::printf("sum %ld entered %ld\n", sum, entered);
}
