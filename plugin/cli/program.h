// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// What can be told of a program without running it.
struct Program {
  std::string path;           // the file that CMD names, PATH searched; "" when there is none
  std::string binary;         // the ELF that runs: path, or the interpreter of a script
  std::string script_line;    // "#!..." of a script, without the "#!"
  std::string loader;         // PT_INTERP of binary
  std::vector<std::string> needed;  // libraries that binary itself asks for, by soname
  std::string trouble;        // why it can't be started; "" when it looks startable
  std::string out_of_reach;   // why weir can't get into it (static, setuid ...); "" when it can
  std::string remedy;         // what to do about that; "" when nothing can be done
};

Program examine(const std::string& command);

// Every object the loader would map for the program, the binary first, then libraries in its order. Asks the loader
// itself, some milliseconds; just the binary where that fails.
std::vector<std::string> objects_of(const Program& program);

// Does one of the objects' file names start so? Its path, else "".
std::string find_object(const std::vector<std::string>& objects, const char* start);

}  // namespace weir::cli
