// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_makes.h"

#include <fcntl.h>

#include <cstring>
#include <optional>

#include "base/names.h"
#include "lane/constants.h"
#include "sys/file.h"

namespace weir::team {
namespace {

using base::among;
using base::starts;

constexpr const char* always[] = {
    "creat", "creat64", "mkdir", "mkdirat", "mkfifo", "mkstemp", "mkstemp64", "mkostemp", "mkstemps", "mkdtemp", "unlink", "unlinkat", "remove",
    "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "truncate", "truncate64", "ftruncate", "ftruncate64",
    "shm_open", "system", "popen", "fork", "vfork", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execl", "execlp", "connect",
    "bind", "pthread_create", "kill", "raise", "sem_post", "mq_send", "msgsnd", "semop", "pthread_barrier_wait"};

// Starts of names: std::thread's, and an output stream's of a file that has a name.
constexpr const char* always_starts[] = {"_ZNSt6thread15_M_start_thread", "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1EPKc",
                                         "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1ERK", "_ZNSt14basic_ofstreamIcSt11char_traitsIcEE4open"};

using enum lane::Register;
enum class Mode { text, flags, stream };
struct Opens {
  const char* start;
  lane::Register mode_in;
  Mode mode;
};
constexpr Opens opens[] = {
    {"fopen", rsi, Mode::text},
    {"freopen", rsi, Mode::text},
    {"openat", rdx, Mode::flags},
    {"__openat", rdx, Mode::flags},
    {"open", rsi, Mode::flags},
    {"__open", rsi, Mode::flags},
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEE4open", rdx, Mode::stream},
    {"_ZNSt13basic_fstreamIcSt11char_traitsIcEEC1EPKc", rdx, Mode::stream},
    {"_ZNSt13basic_fstreamIcSt11char_traitsIcEEC1ERK", rdx, Mode::stream},
    {"_ZNSt13basic_fstreamIcSt11char_traitsIcEE4open", rdx, Mode::stream},
};

const Opens* opening(const char* name) {
  for (const Opens& one : opens) {
    bool has_rest = one.start[0] == '_' && one.start[1] == 'Z';  // a C name's may only be that it is of 64 bits, or checked
    const char* rest = name + std::strlen(one.start);
    if (starts(name, one.start) && (has_rest || !*rest || !std::strcmp(rest, "64") || !std::strcmp(rest, "_2") || !std::strcmp(rest, "64_2")))
      return &one;
  }
  return nullptr;
}

bool writes(Mode mode, std::uintptr_t value, bool in_doubt) {
  constexpr std::uintptr_t out = 16;  // std::ios_base::out
  if (mode == Mode::flags) return value & (O_CREAT | O_TRUNC);
  if (mode == Mode::stream) return value & out;
  auto* text = reinterpret_cast<const char*>(value);
  return sys::readable(text) ? *text != 'r' : in_doubt;
}

}  // namespace

bool makes_file(const char* name, lane::Function code, std::uintptr_t at, bool in_doubt) {
  if (among(name, always) || base::starts_with_one(name, always_starts)) return true;
  const Opens* how = opening(name);
  if (!how) return false;
  std::optional<std::uintptr_t> value = lane::constants_before(code, at).in(how->mode_in);
  return value ? writes(how->mode, *value, in_doubt) : in_doubt;
}

}  // namespace weir::team
