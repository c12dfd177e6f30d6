// SPDX-License-Identifier: Apache-2.0
// The locks whose code is libtbb's own: queuing_rw_mutex, and those that speculate where the processor can. The others are inlined.
// A task that holds one keeps its thread over a call; and who spins for one yields from within libtbb, but has work to do.
#include "base/thread.h"
#include "tbb_ext/machine/entry.h"

namespace weir::tbb {
namespace {

template <typename... Arguments>
using Taking = Entry<void(Arguments...)>;
template <typename... Arguments>
using Trying = Entry<bool(Arguments...)>;

constinit Taking<void*, void*, bool> acquire_queuing{"_ZN3tbb6detail2r17acquireERNS0_2d116queuing_rw_mutexERNS3_11scoped_lockEb"};
constinit Trying<void*, void*, bool> try_queuing{"_ZN3tbb6detail2r111try_acquireERNS0_2d116queuing_rw_mutexERNS3_11scoped_lockEb"};
constinit Taking<void*> release_queuing{"_ZN3tbb6detail2r17releaseERNS0_2d116queuing_rw_mutex11scoped_lockE"};
constinit Trying<void*> upgrade_queuing{"_ZN3tbb6detail2r117upgrade_to_writerERNS0_2d116queuing_rw_mutex11scoped_lockE"};
constinit Taking<void*, void*, bool> acquire_rtm{"_ZN3tbb6detail2r17acquireERNS0_2d19rtm_mutexERNS3_11scoped_lockEb"};
constinit Trying<void*, void*> try_rtm{"_ZN3tbb6detail2r111try_acquireERNS0_2d19rtm_mutexERNS3_11scoped_lockE"};
constinit Taking<void*> release_rtm{"_ZN3tbb6detail2r17releaseERNS0_2d19rtm_mutex11scoped_lockE"};
constinit Taking<void*, void*, bool> acquire_writer{"_ZN3tbb6detail2r114acquire_writerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockEb"};
constinit Taking<void*, void*, bool> acquire_reader{"_ZN3tbb6detail2r114acquire_readerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockEb"};
constinit Trying<void*, void*> try_writer{"_ZN3tbb6detail2r118try_acquire_writerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockE"};
constinit Trying<void*, void*> try_reader{"_ZN3tbb6detail2r118try_acquire_readerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockE"};
constinit Taking<void*> release_rtm_rw{"_ZN3tbb6detail2r17releaseERNS0_2d112rtm_rw_mutex11scoped_lockE"};

void taken() { ++base::self().lock_depth; }
void given() {
  base::Thread& thread = base::self();
  if (thread.lock_depth > 0) --thread.lock_depth;
}

template <typename Take>
auto wanted(Take take) {
  base::Thread& thread = base::self();
  thread.wants_tbb_lock = true;
  struct Had {
    base::Thread& thread;
    ~Had() { thread.wants_tbb_lock = false; }
  } had{thread};
  return take();
}

}  // namespace
}  // namespace weir::tbb

using namespace weir::tbb;

#define WEIR_ENTRY(type, symbol) extern "C" __attribute__((visibility("default"))) type symbol

WEIR_ENTRY(void, _ZN3tbb6detail2r17acquireERNS0_2d116queuing_rw_mutexERNS3_11scoped_lockEb)(void* mutex, void* lock, bool writes) {
  wanted([=] { acquire_queuing(mutex, lock, writes); });
  taken();
}
WEIR_ENTRY(bool, _ZN3tbb6detail2r111try_acquireERNS0_2d116queuing_rw_mutexERNS3_11scoped_lockEb)(void* mutex, void* lock, bool writes) {
  bool is_ours = try_queuing(mutex, lock, writes);
  if (is_ours) taken();
  return is_ours;
}
WEIR_ENTRY(void, _ZN3tbb6detail2r17releaseERNS0_2d116queuing_rw_mutex11scoped_lockE)(void* lock) {
  release_queuing(lock);
  given();
}
// It is held before and after.
WEIR_ENTRY(bool, _ZN3tbb6detail2r117upgrade_to_writerERNS0_2d116queuing_rw_mutex11scoped_lockE)(void* lock) {
  return wanted([=] { return upgrade_queuing(lock); });
}

WEIR_ENTRY(void, _ZN3tbb6detail2r17acquireERNS0_2d19rtm_mutexERNS3_11scoped_lockEb)(void* mutex, void* lock, bool speculates) {
  wanted([=] { acquire_rtm(mutex, lock, speculates); });
  taken();
}
WEIR_ENTRY(bool, _ZN3tbb6detail2r111try_acquireERNS0_2d19rtm_mutexERNS3_11scoped_lockE)(void* mutex, void* lock) {
  bool is_ours = try_rtm(mutex, lock);
  if (is_ours) taken();
  return is_ours;
}
WEIR_ENTRY(void, _ZN3tbb6detail2r17releaseERNS0_2d19rtm_mutex11scoped_lockE)(void* lock) {
  release_rtm(lock);
  given();
}

WEIR_ENTRY(void, _ZN3tbb6detail2r114acquire_writerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockEb)(void* mutex, void* lock, bool speculates) {
  wanted([=] { acquire_writer(mutex, lock, speculates); });
  taken();
}
WEIR_ENTRY(void, _ZN3tbb6detail2r114acquire_readerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockEb)(void* mutex, void* lock, bool speculates) {
  wanted([=] { acquire_reader(mutex, lock, speculates); });
  taken();
}
WEIR_ENTRY(bool, _ZN3tbb6detail2r118try_acquire_writerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockE)(void* mutex, void* lock) {
  bool is_ours = try_writer(mutex, lock);
  if (is_ours) taken();
  return is_ours;
}
WEIR_ENTRY(bool, _ZN3tbb6detail2r118try_acquire_readerERNS0_2d112rtm_rw_mutexERNS3_11scoped_lockE)(void* mutex, void* lock) {
  bool is_ours = try_reader(mutex, lock);
  if (is_ours) taken();
  return is_ours;
}
WEIR_ENTRY(void, _ZN3tbb6detail2r17releaseERNS0_2d112rtm_rw_mutex11scoped_lockE)(void* lock) {
  release_rtm_rw(lock);
  given();
}
