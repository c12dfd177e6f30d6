// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace CLI {
class App;
}

namespace weir::cli {

// What was given for each setting that has an option: variable -> text.
using Given = std::map<std::string, std::string>;

// Adds an option for every row of the settings table that has one. A text that is not of its form is an error of the
// parse, as is an option that no row has. `given` has to outlive the parse.
void add_settings(CLI::App& app, Given& given);

// Index in argv of the program to run: behind the options, or behind "--". argc: there is none.
int where_command_begins(int argc, char** argv);

// What weir run takes besides.
struct Flag {
  const char* name;
  const char* help;
};
constexpr Flag quiet_flag{"--quiet,-q", "no line on stderr at the end"};
constexpr Flag explain_flag{"--explain", "at the end, what kept weir from helping more, and what to do about it"};

constexpr const char* exit_statuses =
    "The exit status of weir run is CMD's; 127: there is no such CMD, 126: it can't be executed,\n125: weir run was given nonsense, or what can't be "
    "written.";

// All that as text: options, variables, defaults.
std::string help_of_settings();

}  // namespace weir::cli
