// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::cli {

// `weir controller`: the controller alone, a program that reads samples and answers limits. argv[0] is its name.
int controller_command(int argc, char** argv);

}  // namespace weir::cli
