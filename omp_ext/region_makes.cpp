// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_makes.h"

#include <fcntl.h>

#include <cstring>
#include <limits>
#include <optional>

#include "base/names.h"
#include "lane/instruction.h"
#include "sys/file.h"

namespace weir::team {
namespace {

using base::among;
using base::starts;
using lane::bytes_at;

constexpr const char* always[] = {
    "creat", "creat64", "mkdir", "mkdirat", "mkfifo", "mkstemp", "mkstemp64", "mkostemp", "mkstemps", "mkdtemp", "unlink", "unlinkat", "remove",
    "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "truncate", "truncate64", "ftruncate", "ftruncate64",
    "shm_open", "system", "popen", "fork", "vfork", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execl", "execlp", "connect",
    "bind", "pthread_create", "kill", "raise", "sem_post", "mq_send", "msgsnd", "semop", "pthread_barrier_wait"};

// Starts of names: std::thread's, and an output stream's of a file that has a name.
constexpr const char* always_starts[] = {"_ZNSt6thread15_M_start_thread", "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1EPKc",
                                         "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1ERK", "_ZNSt14basic_ofstreamIcSt11char_traitsIcEE4open"};

enum Register { rdx = 2, rsi = 6, rdi = 7 };
enum class Mode { text, flags, stream };
struct Opens {
  const char* start;
  Register mode_in;
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

// By the product of two arguments, or by one.
struct Takes {
  const char* start;
  Register bytes_in;
  std::optional<Register> times{};
};
constexpr Takes takes[] = {{"malloc", rdi},      {"calloc", rdi, rsi}, {"realloc", rsi},         {"aligned_alloc", rsi}, {"posix_memalign", rdx},
                           {"memalign", rsi},    {"valloc", rdi},      {"mmap", rsi},            {"mmap64", rsi},        {"_Znwm", rdi},
                           {"_Znam", rdi},       {"scalable_malloc", rdi}, {"omp_alloc", rdi}};

const Opens* opening(const char* name) {
  for (const Opens& one : opens) {
    bool has_rest = one.start[0] == '_' && one.start[1] == 'Z';  // a C name's may only be that it is of 64 bits, or checked
    const char* rest = name + std::strlen(one.start);
    if (starts(name, one.start) && (has_rest || !*rest || !std::strcmp(rest, "64") || !std::strcmp(rest, "_2") || !std::strcmp(rest, "64_2")))
      return &one;
  }
  return nullptr;
}

// What constants, and addresses of such, stand in the registers as far as a stretch of code tells.
class Constants {
 public:
  void by(const lane::Instruction& i, const lane::Operands& o) {
    using lane::Instruction;
    bool plain = o.map == 0 && !o.vector, registers = plain && o.has_modrm && !o.in_memory;
    if (i.kind == Instruction::call || i.kind == Instruction::call_slot || i.kind == Instruction::call_unknown) return forget_all();
    if (i.kind == Instruction::takes_address) return put(o.opcode == 0x8d ? o.first : o.in_opcode, i.target);
    if (registers && o.opcode == 0x89) return put(o.second, value_[o.first & 15]);
    if (registers && o.opcode == 0x8b) return put(o.first, value_[o.second & 15]);
    if (registers && (o.opcode == 0x31 || o.opcode == 0x33) && o.first == o.second) return put(o.first, 0);
    if (plain && (o.opcode & 0xf8) == 0x58) return put(o.in_opcode, {});
    bool compares = plain && ((o.opcode & 0xf8) == 0x38 || o.opcode == 0x84 || o.opcode == 0x85), stores = plain && o.in_memory && (o.opcode | 1) == 0x89;
    if (!o.has_modrm || compares || stores) return;
    put(o.first, {});
    if (!o.in_memory) put(o.second, {});
  }
  std::optional<std::uintptr_t> in(int of) const { return value_[of]; }

 private:
  void put(int into, std::optional<std::uintptr_t> value) { value_[into & 15] = value; }
  void forget_all() {
    for (auto& value : value_) value.reset();
  }

  std::optional<std::uintptr_t> value_[16];
};

Constants constants_before(lane::Function code, std::uintptr_t before) {
  Constants constants;
  for (std::uintptr_t at = code.begin; at < before;) {
    lane::Operands o = lane::read_operands(bytes_at(at), bytes_at(code.end));
    if (!o.length) return {};
    constants.by(lane::read_instruction(bytes_at(at), bytes_at(code.end)), o);
    at += o.length;
  }
  return constants;
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
  std::optional<std::uintptr_t> value = constants_before(code, at).in(how->mode_in);
  return value ? writes(how->mode, *value, in_doubt) : in_doubt;
}

std::uint64_t memory_taken(const char* name, lane::Function code, std::uintptr_t at) {
  for (const Takes& how : takes) {
    bool has_more = how.start[0] == '_';  // an operator new's: that it may align, or not throw
    if (has_more ? !starts(name, how.start) : std::strcmp(name, how.start) != 0) continue;
    Constants constants = constants_before(code, at);
    std::optional<std::uintptr_t> bytes = constants.in(how.bytes_in), times = how.times ? constants.in(*how.times) : 1;
    std::uint64_t all;
    if (!bytes || !times || __builtin_mul_overflow(*bytes, *times, &all)) return std::numeric_limits<std::uint64_t>::max();
    return all;
  }
  return 0;
}

}  // namespace weir::team
