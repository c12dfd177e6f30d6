// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_part.h"

#include <cstring>
#include <optional>

#include "base/names.h"
#include "lane/constants.h"

namespace weir::team {

using base::among;
using base::starts;

namespace {

constexpr const char* shows[] = {
    "write", "writev", "pwrite", "pwrite64", "pwritev", "pwritev64", "pwritev2", "pwritev64v2", "puts", "putchar", "putc", "_IO_putc",
    "fputc", "fputs", "fputs_unlocked", "fputc_unlocked", "putc_unlocked", "putchar_unlocked", "fwrite", "fwrite_unlocked", "printf",
    "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "wprintf", "fwprintf", "fputws", "__printf_chk", "__fprintf_chk",
    "__vprintf_chk", "__vfprintf_chk", "__dprintf_chk", "__vdprintf_chk", "perror", "syslog", "__syslog_chk", "send", "sendto", "sendmsg",
    "sendmmsg", "sendfile", "sendfile64", "splice", "tee", "vmsplice", "copy_file_range", "fputwc", "putwc", "putwchar", "sigqueue", "pthread_kill",
    "tgkill", "pthread_sigqueue", "eventfd_write", "semop", "semtimedop", "mq_timedsend", "syscall", "_gfortran_st_write"};

constexpr const char* brings[] = {
    "read", "readv", "__read_chk", "fread", "fread_unlocked", "__fread_chk", "fgets", "fgets_unlocked", "__fgets_chk", "fgetc", "getc", "_IO_getc",
    "getc_unlocked", "fgetc_unlocked", "getchar", "getline", "getdelim", "__getdelim", "fscanf", "__isoc99_fscanf", "__isoc23_fscanf", "scanf",
    "__isoc99_scanf", "__isoc23_scanf", "fgetwc", "fgetws", "ungetc", "lseek", "lseek64", "fseek", "fseeko", "fseeko64", "rewind", "recv", "recvfrom",
    "recvmsg", "recvmmsg", "__recv_chk", "__recvfrom_chk", "accept", "accept4", "sem_wait", "sem_trywait", "sem_timedwait", "msgrcv", "mq_receive",
    "mq_timedreceive", "readdir", "readdir64", "strtok", "rand", "random", "drand48", "lrand48", "mrand48", "_gfortran_st_read"};

// Starts of names: what libstdc++ reads with.
constexpr const char* brings_starts[] = {"_ZNSi", "_ZSt7getline", "_ZStrsI"};

constexpr const char* opens[] = {"open", "open64", "__open_2", "__open64_2", "openat", "openat64", "fopen", "fopen64", "freopen", "fdopen", "opendir",
                                 "fdopendir", "popen", "socket", "socketpair", "pipe", "pipe2", "dup", "fmemopen", "mq_open", "_gfortran_st_open"};

// Starts of names: an input stream's of a file that has a name.
constexpr const char* opens_starts[] = {"_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC", "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4open",
                                        "_ZNSt13basic_fstreamIcSt11char_traitsIcEEC", "_ZNSt13basic_fstreamIcSt11char_traitsIcEE4open",
                                        "_ZNSt13basic_filebufIcSt11char_traitsIcEE4open"};

// Starts of names: weir's own calls, what libstdc++ writes with, and what libraries do by a handler of the program's.
constexpr const char* shows_starts[] = {
    "weir_write", "weir_pwrite", "weir_send", "_ZNSo", "_ZNSt13basic_ostreamIw", "_ZStls", "_ZSt16__ostream_insert", "_ZSt4endl",
    "omp_display_affinity", "omp_capture_affinity", "ompc_display_affinity", "ompc_capture_affinity",
    "g_print", "g_log", "Rprintf", "REprintf", "_ZN6QDebug", "_ZNK14QMessageLogger"};

constexpr const char* never_returns[] = {
    "exit", "_exit", "_Exit", "quick_exit", "abort", "err", "errx", "verr", "verrx", "__assert_fail", "__assert_perror_fail",
    "__stack_chk_fail", "__chk_fail", "longjmp", "siglongjmp", "__longjmp_chk", "pthread_exit", "_Unwind_Resume", "__cxa_throw",
    "__cxa_rethrow", "__cxa_bad_cast", "_ZSt9terminatev", "_gfortran_stop_string", "_gfortran_error_stop_string", "_gfortran_runtime_error",
    "_gfortran_os_error_at"};

// Starts of names.
struct Meaning {
  const char* start;
  Part part;
};
constexpr Meaning meanings[] = {
    {"__kmpc_single", Part::one_enters},
    {"__kmpc_master", Part::one_enters},
    {"__kmpc_masked", Part::one_enters},
    {"GOMP_single_start", Part::one_enters},
    {"omp_get_thread_num", Part::first_enters},
    {"omp_get_num_threads", Part::asks_number},
    {"pthread_self", Part::asks_who},
    {"gettid", Part::asks_who},
    {"thrd_current", Part::asks_who},
    {"__kmpc_dispatch_init", Part::pieces_begin},
    {"__kmpc_dispatch_next", Part::takes_piece},
    {"__kmpc_reduce", Part::reduces},
    {"__kmpc_for_static_init", Part::share_begins},
    {"__kmpc_for_static_fini", Part::share_ends},
    {"__kmpc_critical", Part::alone_begins},
    {"__kmpc_end_critical", Part::alone_ends},
    {"GOMP_critical_start", Part::alone_begins},
    {"GOMP_critical_end", Part::alone_ends},
    {"GOMP_critical_name_start", Part::alone_begins},
    {"GOMP_critical_name_end", Part::alone_ends},
    {"GOMP_atomic_start", Part::alone_begins},
    {"GOMP_atomic_end", Part::alone_ends},
};

}  // namespace

Part part_of_name(const char* name) {
  if (among(name, shows) || base::starts_with_one(name, shows_starts)) return Part::shows;
  if (among(name, brings) || base::starts_with_one(name, brings_starts)) return Part::brings;
  if (among(name, opens) || base::starts_with_one(name, opens_starts)) return Part::opens;
  if (among(name, never_returns) || (starts(name, "_ZSt") && std::strstr(name, "__throw_"))) return Part::never_returns;
  if (starts(name, "GOMP_loop_") && std::strstr(name, "_next")) {
    bool by_number = std::strstr(name, "_static_") || std::strstr(name, "_runtime_");  // the latter as libomp has it if nobody says
    return by_number ? Part::takes_own_piece : Part::takes_piece;
  }
  for (const Meaning& meaning : meanings) {
    if (starts(name, meaning.start)) return meaning.part;
  }
  return Part::none;
}

bool gives_by_number(lane::Function code, std::uintptr_t at) {
  constexpr std::uintptr_t monotonic = 1u << 29, nonmonotonic = 1u << 30;
  enum { static_chunks = 33, static_whole = 34, runtime = 37, ordered = 32 };  // (auto is libomp's own choice: by chance)
  std::optional<std::uintptr_t> said = lane::constants_before(code, at).in(lane::rdx);
  if (!said) return false;
  std::uintptr_t kind = *said & 0xffffffff & ~(monotonic | nonmonotonic);
  for (std::uintptr_t one : {static_chunks, static_whole, runtime}) {
    if (kind == one || kind == one + ordered) return true;
  }
  return false;
}

}  // namespace weir::team
