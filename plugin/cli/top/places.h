// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "cli/report/where.h"

namespace weir::cli {

// Names of code addresses in running processes, each looked up once.
class Places {
 public:
  // "function (file.cpp:12)", or object+offset, or the bare address.
  const std::string& of(pid_t process, std::uint64_t address);
  void forget(pid_t process);

 private:
  std::string look_up(pid_t process, std::uint64_t address);
  Where where_;
  std::map<std::pair<pid_t, std::uint64_t>, std::string> known_;
};

}  // namespace weir::cli
