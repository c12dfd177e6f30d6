// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace weir::cli {

// What this machine, kernel and container allow, as facts: kernel, cores, io_uring and its operations, limits, run-times.
nlohmann::ordered_json machine_facts();

}  // namespace weir::cli
