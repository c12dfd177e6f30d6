// SPDX-License-Identifier: Apache-2.0
#include "cli/machine.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "cli/environment.h"
#include "cli/openmp.h"
#include "sys/capabilities.h"
#include "sys/process.h"

namespace weir::cli {
namespace {

using nlohmann::ordered_json;

// First line of a small file; "" when there is none.
std::string line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

ordered_json number_in(const char* path) {
  std::string line = line_of(path);
  if (line.empty()) return nullptr;
  return std::atoll(line.c_str());
}

std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return line.substr(line.find_first_not_of(" \t", key.size()));
  }
  return "";
}

ordered_json limit(int which) {
  rlimit value{};
  if (getrlimit(which, &value)) return nullptr;
  if (value.rlim_cur == RLIM_INFINITY) return "unlimited";
  return static_cast<std::uint64_t>(value.rlim_cur);
}

// Why a ring can't be set up, as far as the kernel lets one tell.
std::string why_no_ring(const sys::Capabilities& can) {
  std::string why = std::strerror(-can.ring_error);
  if (line_of("/proc/sys/kernel/io_uring_disabled") == "2") why += ": the sysctl kernel.io_uring_disabled is 2";
  else if (line_of("/proc/sys/kernel/io_uring_disabled") == "1") why += ": the sysctl kernel.io_uring_disabled is 1";
  else if (can.ring_error == -EPERM || can.ring_error == -ENOSYS) {
    if (value_in("/proc/self/status", "Seccomp:") != "0") why += ": a seccomp filter, such as a container's, may forbid it";
  } else if (can.ring_error == -ENOMEM) {
    why += ": the limit on locked memory may be too small";
  }
  return why;
}

ordered_json capabilities() {
  const char* disabled = std::getenv("WEIR_DISABLE");
  sys::Capabilities can = sys::probe(disabled ? disabled : "");
  ordered_json facts;
  for (int i = 0; i < sys::capability_count; ++i) {
    const sys::CapabilityName& name = sys::capability_names[i];
    facts[name.name] = {{"have", can.*name.bit}, {"meaning", name.meaning}};
  }
  if (!can.io_uring) facts["io_uring"]["because"] = why_no_ring(can);
  return facts;
}

// The file the loader would take for `soname` here; "" when there is none.
std::string library_for(const char* soname) {
  void* handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
  link_map* map = nullptr;
  if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map)) return "";
  return map->l_name;
}

}  // namespace

ordered_json machine_facts() {
  utsname kernel{};
  uname(&kernel);
  ordered_json facts;
  facts["kernel"] = kernel.release;
  facts["machine"] = kernel.machine;
  facts["cores"] = sys::usable_cores();
  std::string quota = line_of("/sys/fs/cgroup/cpu.max");
  if (!quota.empty() && quota.rfind("max", 0) != 0) facts["cpu_quota"] = quota;
  facts["capabilities"] = capabilities();
  facts["limits"] = {{"locked_memory_bytes", limit(RLIMIT_MEMLOCK)}, {"open_files", limit(RLIMIT_NOFILE)},
                     {"processes", limit(RLIMIT_NPROC)}, {"stack_bytes", limit(RLIMIT_STACK)},
                     {"mappings", number_in("/proc/sys/vm/max_map_count")}};
  facts["runtimes"] = {{"libomp", newest_libomp()}, {"libtbb", library_for("libtbb.so.12")},
                       {"libgomp", library_for("libgomp.so.1")}};
  facts["preload"] = preload_library();
  return facts;
}

}  // namespace weir::cli
