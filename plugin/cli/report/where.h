// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace weir::cli {

// Where in a program's text an address lies; what is not known is "" or 0.
struct Place {
  std::string function, file;
  int line = 0;
};

// Reads ELF objects and, where they have it, their debug information. Nothing is asked of a network.
class Where {
 public:
  Where();
  ~Where();

  // `offset` is a return address, counted from where the object was loaded; the call lies before it. An object that
  // can't be read, or was changed after `as_of` (seconds since 1970; 0: whenever), gives nothing.
  Place of(const std::string& object, std::uint64_t offset, std::int64_t as_of = 0);

 private:
  struct Objects;
  std::unique_ptr<Objects> objects_;
};

}  // namespace weir::cli
