// SPDX-License-Identifier: Apache-2.0
#include "lane/gomp.h"

#include "base/names.h"
#include "lane/marks.h"
#include "sys/loader.h"

namespace weir::lane {
namespace {

using base::starts;

struct Found {
  bool gomp = false, omp = false;
};

int look(dl_phdr_info* object, std::size_t, void* found_) {
  auto& found = *static_cast<Found*>(found_);
  const char* name = file_name(object->dlpi_name ? object->dlpi_name : "");
  // Packages for Python bring them under names like libgomp-24e2ab19.so.
  found.gomp |= starts(name, "libgomp.so") || starts(name, "libgomp-");
  found.omp |= starts(name, "libomp.so") || starts(name, "libomp-") || starts(name, "libomp5.so") || starts(name, "libiomp5");
  return 0;
}

}  // namespace

bool has_only_libgomp() {
  Found found;
  sys::each_object(look, &found);
  return found.gomp && !found.omp;
}

}  // namespace weir::lane
