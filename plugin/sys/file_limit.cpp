// SPDX-License-Identifier: Apache-2.0
#include "sys/file_limit.h"

#include <sys/resource.h>

#include <algorithm>

#include "sys/raw.h"

namespace weir::sys {
namespace {

bool read(rlimit& limit) { return !failed(raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, word(&limit))); }

}  // namespace

bool raise_file_limit(std::int64_t most) {
  rlimit limit{};
  if (!read(limit)) return false;
  rlim_t wanted = std::min(limit.rlim_max, static_cast<rlim_t>(most));
  if (limit.rlim_cur >= wanted) return false;
  limit.rlim_cur = wanted;
  return !failed(raw(SYS_prlimit64, 0, RLIMIT_NOFILE, word(&limit), 0));
}

std::int64_t file_limit_within_reach(std::int64_t many) {
  rlimit limit{};
  return read(limit) && limit.rlim_max < static_cast<rlim_t>(many) ? static_cast<std::int64_t>(limit.rlim_max) : many;
}

}  // namespace weir::sys
