// SPDX-License-Identifier: Apache-2.0
#include "api/sharing.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <climits>
#include <cstring>

#include "api/instance.h"
#include "base/clock.h"
#include "base/log.h"
#include "gate/gate.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::api {
namespace {

constexpr std::int64_t answer_within_ns = 5'000'000;

// Shared with other processes: not the private futex of sys/futex.h.
void shared_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t most_ns) {
  timespec t{static_cast<time_t>(most_ns / 1'000'000'000), static_cast<long>(most_ns % 1'000'000'000)};
  sys::raw(SYS_futex, sys::word(&word), FUTEX_WAIT, expected, sys::word(&t));
}
void shared_wake(std::atomic<std::uint32_t>& word) { sys::raw(SYS_futex, sys::word(&word), FUTEX_WAKE, INT_MAX); }

// A mapping keeps the file open, and so its lock, beyond a close().
void close_unlocked(int file) {
  sys::raw(SYS_flock, file, LOCK_UN);
  sys::close(file);
}

// Never for long: whoever holds it may have been stopped.
bool lock(int file) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (!failed(sys::raw(SYS_flock, file, LOCK_EX | LOCK_NB))) return true;
    sys::sleep_ns(1'000'000);
  }
  return false;
}

// The open file, under its lock; or < 0. One that the last to leave has removed meanwhile is made anew.
int open_locked(const char* name) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    Result fd = sys::open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (failed(fd)) return static_cast<int>(fd);
    struct stat about;
    bool good = lock(static_cast<int>(fd)) && !failed(sys::fstat(static_cast<int>(fd), &about)) &&
                about.st_uid == static_cast<uid_t>(sys::raw(SYS_geteuid)) && S_ISREG(about.st_mode);
    if (good && about.st_nlink > 0) return static_cast<int>(fd);
    close_unlocked(static_cast<int>(fd));
    if (!good) break;
  }
  return -1;
}

bool exists(std::int32_t process) { return !failed(sys::raw(SYS_kill, process, 0)); }

// Places of processes that ended without a word.
void sweep(control::SharedPage& page) {
  for (control::SharedMember& member : page.members) {
    std::int32_t process = member.process.load();
    if (!process || exists(process)) continue;
    member.beat_ns.store(0);
    member.process.compare_exchange_strong(process, 0);
  }
}

bool anyone(const control::SharedPage& page) {
  for (const control::SharedMember& member : page.members)
    if (member.process.load()) return true;
  return false;
}

}  // namespace

void Sharing::find() {
  int fd = gate::the_gate.storage_fd.load(std::memory_order_relaxed);
  if (fd < 0) return;
  struct stat about;
  if (failed(sys::known_of(fd, &about)) || (!S_ISREG(about.st_mode) && !S_ISBLK(about.st_mode))) {
    gate::the_gate.storage_fd.store(-1, std::memory_order_relaxed);  // closed since; another will do
    return;
  }
  dev_t device = S_ISBLK(about.st_mode) ? about.st_rdev : about.st_dev;
  base::Line name;
  name.add("/dev/shm/weir-share.%lld.%x-%x", static_cast<long long>(sys::raw(SYS_geteuid)), major(device), minor(device));
  std::memcpy(name_, name.text(), name.length() < sizeof name_ ? name.length() + 1 : 0);
  alone_for_good_ = true;  // unless all of this works out
  int file = open_locked(name_);
  if (file < 0) return;
  Result memory = failed(sys::raw(SYS_ftruncate, file, sizeof(control::SharedPage)))
                      ? -ENOSPC
                      : sys::raw(SYS_mmap, 0, sizeof(control::SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (!failed(memory)) {
    auto* page = reinterpret_cast<control::SharedPage*>(memory);
    sweep(*page);
    if (share_.page()) sys::raw(SYS_munmap, sys::word(share_.page()), sizeof(control::SharedPage));
    share_.forget();
    alone_for_good_ = !share_.join(page, sys::process_id());
    if (alone_for_good_) sys::raw(SYS_munmap, memory, sizeof(control::SharedPage));
  }
  close_unlocked(file);
}

control::Share::View Sharing::meet(const control::Reading& mine) {
  bool may_join = !alone_for_good_ && !ended_.load(std::memory_order_relaxed) && settings().share;
  if (!share_.joined() && may_join) find();
  if (!share_.joined()) return {.members = 1, .leads = true};
  heard_ = share_.page()->asked.load();  // before telling: a question that comes after is heard by listen()
  share_.tell(mine);
  return share_.look(mine.now_ns);
}

control::Reading Sharing::all(const control::Reading& mine) {
  share_.ask();
  shared_wake(share_.page()->asked);
  for (std::int64_t end = mine.now_ns + answer_within_ns; !share_.answered(mine.now_ns) && base::now_ns() < end;) {
    sys::sleep_ns(100'000);
  }
  return share_.sum(mine);
}

void Sharing::announce(int total) {
  if (!share_.joined() || share_.total() == total) return;
  share_.set_total(total);
  share_.ask();
  shared_wake(share_.page()->asked);
}

void Sharing::listen(std::int64_t most_ns) { shared_wait(share_.page()->asked, heard_, most_ns); }

void Sharing::leave() {
  if (!share_.joined()) return;
  int file = open_locked(name_);
  share_.leave();
  if (file < 0) return;
  sweep(*share_.page());
  if (!anyone(*share_.page())) sys::raw(SYS_unlinkat, AT_FDCWD, sys::word(name_), 0);
  close_unlocked(file);
}

void Sharing::forget() {
  share_.forget();
  alone_for_good_ = false;
  may_join();
}

}  // namespace weir::api
