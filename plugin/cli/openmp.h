// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// LLVM's libomp exports the names of gcc's libgomp too, so a program built for libgomp runs on it when it comes first.
struct OpenMp {
  std::string uses;       // "libomp", "libgomp", or "" for neither
  std::string in_front;   // the libomp to put in front of libgomp; "" for none
  std::string note;       // one clause: what was put in front, or why nothing was; "" when there is nothing to say
};

// What the user said of the program's teams.
enum class Teams {
  left_to_weir,
  told,   // how weir is to treat them
  shown,  // what they do is to be shown, whether they wait or not
};

// By the settings; set(variable): what one is set to, or "".
template <typename Set>
Teams wish_for_teams(Set set) {
  if (!set("WEIR_TRACE").empty()) return Teams::shown;
  std::string how = set("WEIR_OMP_TEAMS"), count = set("WEIR_OMP_COUNT");
  return (how.empty() || how == "auto") && (count.empty() || count == "threads") ? Teams::left_to_weir : Teams::told;
}

// `objects`: what the loader maps for the program, which is the first. `wanted`: the setting: "auto", "no", or a file.
OpenMp choose_openmp(const std::vector<std::string>& objects, const std::string& wanted, Teams teams);

// Why the libomp that `wanted` names can't be had; "" where it can, or none is named.
std::string why_no_libomp(const std::string& wanted);

// The newest libomp.so.5 of this machine, "" for none.
std::string newest_libomp();

}  // namespace weir::cli
