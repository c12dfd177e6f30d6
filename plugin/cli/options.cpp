// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>

#include <cstring>

#include "base/settings.h"

namespace weir::cli {
namespace {

using base::Setting;
using base::settings_count;
using base::settings_table;

std::string check(const Setting& row, const std::string& text) {
  base::Settings ignored;
  if (row.read(ignored, text.c_str())) return "";
  return std::string(row.option) + " takes " + (row.form ? row.form : "0|1") + ", not '" + text + "'";
}

bool takes_value(const char* option) {
  for (std::size_t i = 0; i < settings_count; ++i) {
    const Setting& row = settings_table[i];
    if (row.option && row.form && !std::strcmp(row.option, option)) return true;
  }
  return false;
}

}  // namespace

void add_settings(CLI::App& app, Given& given) {
  for (std::size_t i = 0; i < settings_count; ++i) {
    const Setting& row = settings_table[i];
    if (!row.option) continue;
    std::string* text = &given[row.variable];
    if (row.form) {
      app.add_option(row.option, *text, row.help)->type_name(row.form)->check([&row](const std::string& value) {
        return check(row, value);
      });
    } else {
      app.add_flag_callback(row.option, [text] { *text = "1"; }, row.help)->disable_flag_override();
    }
  }
}

int where_command_begins(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--")) return i + 1;
    if (argv[i][0] != '-' || !argv[i][1]) return i;
    if (takes_value(argv[i])) ++i;
  }
  return argc;
}

std::string help_of_settings() {
  std::string text;
  for (std::size_t i = 0; i < settings_count; ++i) {
    const Setting& row = settings_table[i];
    std::string option = row.option ? row.option : "";
    if (row.option && row.form) option += std::string("=") + row.form;
    char line[512];
    std::string form = !row.option && row.form ? std::string("=") + row.form : "";
    std::snprintf(line, sizeof line, "  %-32s %-26s %s%s%s\n", option.c_str(), (row.variable + form).c_str(), row.help,
                  *row.initial ? "; default " : "", row.initial);
    text += line;
  }
  for (const Flag& flag : {quiet_flag, explain_flag}) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-59s %s\n", flag.name, flag.help);
    text += line;
  }
  return text + "\nWhere it says 0|1, no|yes and off|on will do.\n" + exit_statuses + "\n";
}

}  // namespace weir::cli
