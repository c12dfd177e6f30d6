// SPDX-License-Identifier: Apache-2.0
#include "sys/likeness.h"

#include <linux/capability.h>
#include <linux/kcmp.h>
#include <sys/prctl.h>

#include "sys/process.h"
#include "sys/raw.h"

namespace weir::sys {
namespace {

constexpr int most_groups = 64;

class Digest {
 public:
  void take(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x9e3779b97f4a7c15u, sum_ ^= sum_ >> 29; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

// Asked for no valid one, the kernel says which it is, and changes nothing.
std::uint64_t file_user() { return static_cast<std::uint64_t>(raw(SYS_setfsuid, -1)); }
std::uint64_t file_group() { return static_cast<std::uint64_t>(raw(SYS_setfsgid, -1)); }

// By which access() judges.
void take_real_ones(Digest& digest) {
  digest.take(static_cast<std::uint64_t>(raw(SYS_getuid)));
  digest.take(static_cast<std::uint64_t>(raw(SYS_getgid)));
}

bool take_groups(Digest& digest) {
  std::uint32_t groups[most_groups];
  Result count = raw(SYS_getgroups, most_groups, word(groups));
  if (failed(count)) return false;
  digest.take(static_cast<std::uint64_t>(count));
  for (Result i = 0; i < count; ++i) digest.take(groups[i]);
  return true;
}

bool take_capabilities(Digest& digest) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (failed(raw(SYS_capget, word(&header), word(data)))) return false;
  for (const auto& part : data) digest.take(part.effective), digest.take(part.permitted);
  return true;
}

bool share(int what, std::int32_t one, std::int32_t other) { return raw(SYS_kcmp, one, other, what) == 0; }

}  // namespace

Likeness likeness() {
  Likeness it;
  it.thread = thread_id();
  Digest digest;
  digest.take(file_user());
  digest.take(file_group());
  take_real_ones(digest);
  it.known = take_groups(digest) && take_capabilities(digest);
  digest.take(static_cast<std::uint64_t>(raw(SYS_prctl, PR_GET_SECCOMP)));
  digest.take(static_cast<std::uint64_t>(raw(SYS_prctl, PR_GET_NO_NEW_PRIVS)));
  it.rights = digest.sum();
  return it;
}

bool is_like(const Likeness& other) {
  Likeness mine = likeness();
  if (!mine.known || !other.known || mine.rights != other.rights) return false;
  return share(KCMP_FS, mine.thread, other.thread) && share(KCMP_FILES, mine.thread, other.thread);
}

}  // namespace weir::sys
