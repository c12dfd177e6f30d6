// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>
#include <vector>

#include "graph.h"

namespace weir::migrate {

// Adds to the graph what one translation unit has of std::async, std::future and their kin. Files under `roots` are the
// program's, to be changed; all others are somebody else's.
void find(clang::ASTContext& context, const std::vector<std::string>& roots, Graph& graph);

}  // namespace weir::migrate
