// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::cli {

// Exit statuses of weir's own: of `weir run` as env(1) has them, else 1 and 2.
constexpr int status_failed = 1;
constexpr int status_usage = 2;
constexpr int status_own_trouble = 125;  // weir run was given nonsense
constexpr int status_not_executable = 126;
constexpr int status_not_found = 127;

// Each gets its own name as argv[0] and returns the exit status.
int run_command(int argc, char** argv);      // returns only when the program could not be started
int doctor_command(int argc, char** argv);
int report_command(int argc, char** argv);
int compare_command(int argc, char** argv);
int top_command(int argc, char** argv);

}  // namespace weir::cli
