// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "meter/page.h"

namespace weir::cli {

// A running process that shows itself (meter/page.h), from the outside. What it shows is not trusted.
class Watched {
 public:
  // nullptr: why not stands in `trouble`. The kernel lets only the process's user and root have its page.
  static std::unique_ptr<Watched> open(pid_t process, std::string& trouble);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  pid_t process() const { return process_; }
  const std::string& command() const { return command_; }
  bool alive() const;  // and the same one: a number is given again

  // Asks for figures; answer() fetches them. False: the process does not answer within the time (it is stopped, say).
  void ask();
  bool answer(meter::Shown& into, int within_ms);

 private:
  Watched() = default;
  pid_t process_ = 0;
  std::string command_, started_;
  meter::Page* page_ = nullptr;
  std::uint32_t question_ = 0;
};

// Every process of this user, of all users for root.
std::vector<pid_t> processes();

}  // namespace weir::cli
