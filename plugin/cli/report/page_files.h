// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of page/, built in.
namespace weir::cli::page_files {

extern const char html[];
extern const char style[];
extern const char script[];  // all *.js, in the order of their names

}  // namespace weir::cli::page_files
