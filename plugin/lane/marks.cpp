// SPDX-License-Identifier: Apache-2.0
#include "lane/marks.h"

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "base/names.h"

namespace weir::lane {
namespace {

using base::starts;

struct Mark {
  const char* name;
  const char* meaning;
};

constexpr int compare(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

template <std::size_t count>
constexpr bool sorted(const Mark (&marks)[count]) {
  for (std::size_t i = 1; i < count; ++i) {
    if (compare(marks[i - 1].name, marks[i].name) >= 0) return false;
  }
  return true;
}

// Sorted: the search below halves. `_` at the end is how Fortran spells a name.
constexpr Mark imports[] = {
    {"__h_errno_location", "keeps an error a thread"},
    {"__kmpc_threadprivate", "keeps a threadprivate variable"},
    {"__kmpc_threadprivate_cached", "keeps a threadprivate variable"},
    {"__kmpc_threadprivate_register", "keeps a threadprivate variable"},
    {"getcpu", "asks which processor it runs on"},
    {"gettid", "asks for the thread's id"},
    {"inet_ntoa", "has a text that libc keeps a thread"},
    {"omp_get_ancestor_thread_num", "asks for the thread's number"},
    {"omp_get_ancestor_thread_num_", "asks for the thread's number"},
    {"omp_get_place_num", "asks which place the thread is bound to"},
    {"omp_get_place_num_", "asks which place the thread is bound to"},
    {"omp_get_thread_num", "asks for the thread's number"},
    {"omp_get_thread_num_", "asks for the thread's number"},
    {"pthread_getspecific", "keeps data a thread"},
    {"pthread_self", "asks for the thread's id"},
    {"pthread_setaffinity_np", "binds a thread to processors"},
    {"pthread_setname_np", "names a thread"},
    {"pthread_setspecific", "keeps data a thread"},
    {"pthread_sigmask", "changes the thread's signal mask"},
    {"sched_getcpu", "asks which processor it runs on"},
    {"sched_setaffinity", "binds a thread to processors"},
    {"setfsgid", "changes the thread's file permissions"},
    {"setfsuid", "changes the thread's file permissions"},
    {"sigaltstack", "gives the thread a signal stack"},
    {"sigprocmask", "changes the thread's signal mask"},
    {"strsignal", "has a text that libc keeps a thread"},
    {"thrd_current", "asks for the thread's id"},
    {"tss_get", "keeps data a thread"},
    {"tss_set", "keeps data a thread"},
    {"unshare", "changes what the thread shares with others"},
    {"uselocale", "changes the thread's locale"},
};
static_assert(sorted(imports));

constexpr const char* runtimes[] = {
    "ld-linux-", "ld-linux.", "linux-vdso.", "linux-gate.", "libc.so", "libm.so", "libmvec.so", "libpthread.so", "libdl.so",
    "librt.so", "libutil.so", "libresolv.so", "libanl.so", "libstdc++.so", "libgcc_s.so", "libatomic.so", "libquadmath.so",
    "libomp.so", "libomp-", "libomp5.so", "libiomp5.so", "libgomp.so", "libarcher.so", "libtbb.so", "libtbbmalloc.so",
    "libtbbmalloc_proxy.so", "libtbbbind.so", "libtbbbind_", "libweir.so", "libweir_preload.so", "libweir_tbb.so",
    // A replaced malloc keeps caches a thread, as libc's does, and never waits while it holds one.
    "libjemalloc.so", "libmimalloc.so", "libmimalloc-", "libtcmalloc.so", "libtcmalloc_minimal.so"};

constexpr Mark bound_libraries[] = {
    {"libasan.so", "a sanitizer that keeps track of each thread's stack"},
    {"libclang_rt.asan", "a sanitizer that keeps track of each thread's stack"},
    {"libclang_rt.tsan", "a sanitizer that keeps track of each thread's stack"},
    {"libcuda.so", "CUDA: a current context a thread"},
    {"libcudart.so", "CUDA: a current device a thread"},
    {"libEGL.so", "OpenGL: a current context a thread"},
    {"libGL.so", "OpenGL: a current context a thread"},
    {"libGLX.so", "OpenGL: a current context a thread"},
    {"libguile-", "Guile: an interpreter state a thread"},
    {"libhwasan.so", "a sanitizer that keeps track of each thread's stack"},
    {"libjvm.so", "Java: a thread that calls it is attached to it"},
    {"libcoreclr.so", ".NET: a thread that calls it is attached to it"},
    {"libmono", ".NET: a thread that calls it is attached to it"},
    {"libmpi.so", "MPI: the thread that initialized it may be the only one to call"},
    {"libmpi_", "MPI: the thread that initialized it may be the only one to call"},
    {"libmpich", "MPI: the thread that initialized it may be the only one to call"},
    {"libnode.so", "Node: an isolate is entered by a thread"},
    {"libperl.so", "Perl: an interpreter a thread"},
    {"libpsm2.so", "message passing: an endpoint a thread"},
    {"libpython", "Python: an interpreter state a thread, and its global lock"},
    {"libruby", "Ruby: an interpreter state a thread, and its global lock"},
    {"libtcl", "Tcl: an interpreter a thread"},
    {"libtsan.so", "a sanitizer that keeps track of each thread's stack"},
    {"libv8.so", "V8: an isolate is entered by a thread"},
};

}  // namespace

const char* file_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool is_runtime(const char* file_name) {
  for (const char* runtime : runtimes) {
    if (starts(file_name, runtime)) return true;
  }
  return false;
}

bool is_tasking_runtime(const char* file_name) {
  for (const char* runtime : {"libomp.so", "libomp-", "libomp5.so", "libiomp5.so", "libgomp.so", "libtbb.so"}) {
    if (starts(file_name, runtime)) return true;
  }
  return false;
}

bool fails_some_of_many(const char* file_name) { return starts(file_name, "libsqlite3.so") || starts(file_name, "liblmdb.so"); }

const char* thread_bound_library(const char* file_name) {
  for (const Mark& library : bound_libraries) {
    if (starts(file_name, library.name)) return library.meaning;
  }
  return nullptr;
}

const char* thread_bound_import(const char* name) {
  std::size_t low = 0, high = sizeof imports / sizeof *imports;
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    int order = std::strcmp(name, imports[middle].name);
    if (order == 0) return imports[middle].meaning;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return nullptr;
}

bool is_harmless_import(const char* file_name, const char* name) {
  // xz keeps signals off a thread that it makes, and calls nothing else until it lets them in again.
  return starts(file_name, "liblzma.so") && !std::strcmp(name, "pthread_sigmask");
}

bool keeps_storage(const char* file_name, std::uint64_t bytes) {
  // libjpeg-turbo has two numbers: which vector instructions the processor has, and where to use them. More is something else.
  return bytes > (starts(file_name, "libjpeg.so") ? 2 * sizeof(int) : 0);
}

bool is_name(const char* import, const char* name) {
  std::size_t length = std::strlen(name);
  return !std::strncmp(import, name, length) && (!import[length] || !std::strcmp(import + length, "_"));
}

bool is_harmless_thread_variable(const char* name) {
  // std::call_once hands its callable to pthread_once by these two, and a call inside is under a counted lock.
  return !std::strcmp(name, "_ZSt15__once_callable") || !std::strcmp(name, "_ZSt11__once_call");
}

}  // namespace weir::lane
