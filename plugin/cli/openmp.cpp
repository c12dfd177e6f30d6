// SPDX-License-Identifier: Apache-2.0
#include "cli/openmp.h"

#include <glob.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "base/names.h"
#include "cli/image_file.h"
#include "cli/program.h"
#include "cli/region_file.h"
#include "cli/team_file.h"
#include "lane/elf.h"
#include "lane/marks.h"

namespace weir::cli {
namespace {

// Where distributions and LLVM's own packages put it.
constexpr const char* places[] = {"/usr/lib/llvm-*/lib/libomp.so.5", "/usr/lib/llvm*/lib/libomp.so",
                                  "/usr/lib/x86_64-linux-gnu/libomp.so.5", "/usr/lib64/libomp.so",
                                  "/usr/local/lib/libomp.so.5", "/usr/local/lib/libomp.so"};

// ".../llvm-19/lib/libomp.so.5" -> 19; what says no version counts as the oldest.
int version_of(const std::string& path) {
  std::error_code ignored;
  std::string real = std::filesystem::canonical(path, ignored).string();
  std::size_t at = real.find("llvm");
  if (at == std::string::npos) return 0;
  at = real.find_first_of("0123456789", at);
  return at == std::string::npos ? 0 : std::atoi(real.c_str() + at);
}

// What gcc's code calls for memory that a team shares over a loop, in inscan reductions and lastprivate(conditional). libomp has
// these names for reductions by tasks alone, and ends a program that asks for the memory; the name does not tell which it is.
// And teams on the host: of those libomp makes no more than there are cores, whatever num_teams says, and they run at a time.
bool is_served_in_part(const char* name) {
  constexpr const char* names[] = {"GOMP_loop_start", "GOMP_loop_ull_start", "GOMP_loop_ordered_start",
                                   "GOMP_loop_ull_ordered_start", "GOMP_loop_doacross_start",
                                   "GOMP_loop_ull_doacross_start", "GOMP_sections2_start", "GOMP_teams_reg"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* n) { return !std::strcmp(n, name); });
}

bool is_runtime(const std::string& object) { return lane::is_runtime(lane::file_name(object.c_str())); }

// An OpenMP name that an object asks for and this libomp has not, or not wholly: it would be served by libgomp, and the
// program would have two run-times that know nothing of each other.
std::string lacking_name(const std::vector<std::string>& objects, const std::string& libomp) {
  std::string lacking;
  with_image(libomp, [&](const lane::Image& provider) {
    for (const std::string& object : objects) {
      if (is_runtime(object)) continue;
      with_image(object, [&](const lane::Image& image) {
        image.each_import([&](const char* name, unsigned) {
          bool openmp = !std::strncmp(name, "GOMP_", 5) || !std::strncmp(name, "GOACC_", 6) || !std::strncmp(name, "omp_", 4);
          if (openmp && (!provider.defines(name) || is_served_in_part(name))) lacking = name;
        });
      });
    }
  });
  return lacking;
}

// What cancels a construct, where that is switched on: behind a cancelled loop libomp (19) may run none of the next sections or pieces.
bool cancels(const std::vector<std::string>& objects) {
  const char* wanted = std::getenv("OMP_CANCELLATION");
  if (!wanted || strcasecmp(wanted, "true")) return false;
  bool found = false;
  for (const std::string& object : objects) {
    if (is_runtime(object)) continue;
    with_image(object, [&](const lane::Image& image) {
      image.each_import([&](const char* name, unsigned) { found |= !std::strcmp(name, "GOMP_cancel"); });
    });
  }
  return found;
}

bool names_libomp(const std::string& wanted) { return wanted != "auto" && wanted != "no" && !wanted.empty(); }

// The program alone, or with libraries that fork no teams for it: then its regions are all in one file.
bool only_computes(const std::vector<std::string>& objects) {
  auto known = [](const std::string& object) {
    return is_runtime(object) || base::starts(lane::file_name(object.c_str()), "libgfortran.so");
  };
  return std::all_of(objects.begin() + 1, objects.end(), known) && no_region_of_program_waits(objects.front().c_str());
}

// What makes libgomp bind the first thread, which it does as soon as it is loaded, whoever serves the program then: libomp would find one
// core, and make teams of one.
const char* what_binds() {
  const char* bind = std::getenv("OMP_PROC_BIND");
  if (bind && !strcasecmp(bind, "false")) return nullptr;
  for (const char* variable : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
    const char* value = std::getenv(variable);
    if (value && *value) return variable;
  }
  return nullptr;
}

}  // namespace

std::string newest_libomp() {
  std::string newest;
  int newest_version = -1;
  for (const char* place : places) {
    glob_t found{};
    if (!glob(place, 0, nullptr, &found)) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        int version = version_of(found.gl_pathv[i]);
        if (version > newest_version) newest_version = version, newest = found.gl_pathv[i];
      }
    }
    globfree(&found);
  }
  return newest;
}

std::string why_no_libomp(const std::string& wanted) {
  if (!names_libomp(wanted)) return "";
  if (access(wanted.c_str(), R_OK)) return "can't read " + wanted + ", the libomp that was named: " + std::strerror(errno);
  if (wanted.find_first_of(" :") != std::string::npos) return "the loader can't be told of " + wanted + ": there is a space or a colon in its path";
  bool serves = false;
  with_image(wanted, [&](const lane::Image& image) { serves = image.valid() && image.defines("__kmpc_fork_call"); });
  return serves ? "" : wanted + " is no libomp";
}

OpenMp choose_openmp(const std::vector<std::string>& objects, const std::string& wanted, Teams teams) {
  OpenMp choice;
  if (!find_object(objects, "libomp").empty() || !find_object(objects, "libiomp5").empty()) choice.uses = "libomp";
  bool named = names_libomp(wanted);
  const char* binding = what_binds();
  std::string bound = binding ? std::string("libgomp stays: ") + binding + " is set, and libgomp binds the first thread by it before another run-time "
                                "could look" : "";
  if (find_object(objects, "libgomp.so").empty()) {
    // Named all the same: CMD starts a program that has libgomp, as a script or mpirun does.
    if (!named || !choice.uses.empty() || !why_no_libomp(wanted).empty()) return choice;
    if (bound.empty()) choice.in_front = std::filesystem::absolute(wanted).string();
    choice.note = bound;
    return choice;
  }
  choice.uses = "libgomp";
  if (wanted == "no") {
    choice.note = "libgomp stays, as --libomp=no wants it";
    return choice;
  }
  if (!bound.empty()) {
    choice.note = bound;
    return choice;
  }
  if (std::string why = why_no_libomp(wanted); !why.empty()) {
    choice.note = "libgomp stays: " + why;
    return choice;
  }
  std::string libomp = named ? std::filesystem::absolute(wanted).string() : newest_libomp();
  if (libomp.empty() || access(libomp.c_str(), R_OK)) {
    choice.note = "no LLVM libomp found to put in front of libgomp: OpenMP threads wait as they would without weir";
    return choice;
  }
  std::string lacking = lacking_name(objects, libomp);
  if (lacking.empty() && !named && cancels(objects)) {
    choice.note = "libgomp stays: the program cancels constructs, as OMP_CANCELLATION lets it, and libomp may leave out what comes behind those";
  } else if (lacking.empty() && !named && teams != Teams::shown && only_computes(objects)) {
    choice.note = "libgomp stays: no parallel region reaches a call that may wait";
  } else if (const char* why = lacking.empty() && !named && teams == Teams::left_to_weir ? why_teams_stay(objects) : nullptr) {
    choice.note = std::string("libgomp stays: ") + why + ", so its teams would be left alone, and it has no tasks";
  } else if (lacking.empty()) {
    choice.in_front = libomp;
    choice.note = libomp + " stands in for libgomp";
  } else {
    choice.note = "libgomp stays: the program uses " + lacking + ", which " + libomp +
                  (is_served_in_part(lacking.c_str()) ? " has only in part" : " has not");
  }
  return choice;
}

}  // namespace weir::cli
