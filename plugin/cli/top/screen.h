// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <termios.h>

namespace weir::cli {

// The terminal, taken over for as long as this lives: another screen, no cursor, keys as they come. Whatever ends it,
// a signal too, the terminal is as it was.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Lines that are too long or too many are cut, and the number of those left out is said.
  void show(const std::vector<std::string>& lines);

  enum class Event { time_is_up, resized, quit };
  // A key or signal, at most so long. `ended_by`: the signal to end by, 0 for a key.
  Event wait(int most_ms, int* ended_by);

 private:
  void take();
  void give_back();
  void stop();
  bool keys_ = false;      // stdin is a terminal
  termios before_{};
  int signals_ = -1;
};

// What of `lines` fits so many columns and rows; pure.
std::vector<std::string> fitted(const std::vector<std::string>& lines, std::size_t columns, std::size_t rows);

}  // namespace weir::cli
