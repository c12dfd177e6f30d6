// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/machine.h"
#include "cli/openmp.h"
#include "cli/options.h"
#include "cli/program.h"
#include "lane/decision.h"

namespace weir::cli {
namespace {

using nlohmann::ordered_json;

ordered_json findings_of(const std::vector<std::string>& objects, bool& may_suspend) {
  auto decision = std::make_unique<lane::Decision>();
  for (const std::string& object : objects) lane::judge_file(object.c_str(), *decision);
  may_suspend = decision->may_suspend();
  ordered_json list = ordered_json::array();
  for (int i = 0; i < decision->count && i < lane::Decision::kept; ++i) {
    const lane::Finding& finding = decision->findings[i];
    constexpr const char* kinds[] = {"thread_storage", "thread_import", "thread_bound_library"};
    list.push_back({{"object", finding.object}, {"name", finding.name}, {"meaning", finding.meaning},
                    {"kind", kinds[static_cast<int>(finding.evidence)]}});
  }
  return list;
}

// The lane, and one sentence why.
void choose_lane(ordered_json& facts, bool may_suspend, const OpenMp& openmp, bool uses_tbb, bool have_ring) {
  const char* set = std::getenv("WEIR_LANE");
  std::string wanted = set && *set ? set : "auto";
  auto choose = [&](const char* lane, const std::string& why) { facts["lane"] = lane, facts["lane_reason"] = why; };
  if (wanted == "off") return choose("off", "WEIR_LANE=off: calls are only counted");
  if (wanted == "park") return choose("park", "WEIR_LANE=park");
  if (openmp.uses.empty() && !uses_tbb && wanted != "suspend")
    return choose("plain", "it is linked to neither OpenMP nor oneTBB: its calls pass through, unless it loads one later");
  if (!have_ring) return choose("park", "there is no io_uring here to wait with (threads of weir's wait for some tasks all the same)");
  if (openmp.uses == "libgomp" && openmp.in_front.empty())
    return choose("plain", openmp.note.empty() ? "libgomp is kept, and its teams can't be seen" : openmp.note);
  if (wanted == "suspend") {
    return choose("suspend", may_suspend ? "WEIR_LANE=suspend"
                                         : "WEIR_LANE=suspend, against the reasons below: results may differ");
  }
  if (may_suspend) return choose("suspend", "nothing in it depends on which thread a task runs on");
  choose("park", "it may depend on which thread a task runs on: see the reasons below");
}

ordered_json program_facts(const std::string& command, bool have_ring) {
  Program program = examine(command);
  ordered_json facts;
  facts["command"] = command;
  facts["path"] = program.path;
  if (!program.trouble.empty()) {
    facts["trouble"] = program.trouble;
    return facts;
  }
  facts["binary"] = program.binary;
  if (!program.script_line.empty()) facts["script"] = program.script_line;
  std::string obstacle = program.out_of_reach.empty() ? why_no_preload(preload_library()) : program.out_of_reach;
  if (!obstacle.empty()) {
    facts["lane"] = "plain";
    facts["lane_reason"] = obstacle;
    return facts;
  }
  std::vector<std::string> objects = objects_of(program);
  auto set = [](const char* variable) { return std::string(std::getenv(variable) ? std::getenv(variable) : ""); };
  std::string libomp = set("WEIR_LIBOMP");
  OpenMp openmp = choose_openmp(objects, libomp.empty() ? "auto" : libomp, wish_for_teams(set));
  bool uses_tbb = !find_object(objects, "libtbb.so").empty(), may_suspend = true;
  facts["objects"] = objects;
  facts["openmp"] = openmp.uses;
  facts["openmp_in_front"] = openmp.in_front;
  if (!openmp.note.empty()) facts["openmp_note"] = openmp.note;
  // The lines of a script are not read.
  if (!program.script_line.empty() && openmp.uses.empty() && openmp.in_front.empty())
    facts["openmp_note"] = "what it starts gets weir too, but a program that gcc built for OpenMP keeps libgomp there, which weir can't serve, "
                           "unless --libomp=FILE names LLVM's libomp";
  facts["tbb"] = uses_tbb;
  ordered_json findings = findings_of(objects, may_suspend);
  choose_lane(facts, may_suspend, openmp, uses_tbb, have_ring);
  facts["findings"] = findings;
  return facts;
}

std::string text_of(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>().empty() ? "not found" : value.get<std::string>();
  return value.is_null() ? "unknown" : value.dump();
}

void row(const std::string& name, const std::string& text) { std::printf("  %-22s %s\n", name.c_str(), text.c_str()); }

void tell_machine(const ordered_json& facts) {
  std::printf("This machine: Linux %s, %s, %s\n", text_of(facts["kernel"]).c_str(), text_of(facts["machine"]).c_str(),
              (text_of(facts["cores"]) + (facts["cores"] == 1 ? " core" : " cores") + " to use").c_str());
  if (facts.contains("cpu_quota")) row("cpu quota", text_of(facts["cpu_quota"]) + " (microseconds of each period)");
  std::printf("\nWhat its kernel and container allow\n");
  for (const auto& [name, capability] : facts["capabilities"].items()) {
    std::string text = std::string(capability["have"] ? "yes  " : "no   ") + text_of(capability["meaning"]);
    if (capability.contains("because")) text += " (" + text_of(capability["because"]) + ")";
    row(name, text);
  }
  std::printf("\nLimits\n");
  for (const auto& [name, value] : facts["limits"].items()) {
    std::string words = name;
    for (char& c : words) if (c == '_') c = ' ';
    row(words, text_of(value));
  }
  std::printf("\nRun-times\n");
  for (const auto& [name, path] : facts["runtimes"].items()) row(name, text_of(path));
  row("libweir_preload", text_of(facts["preload"]));
}

void tell_program(const ordered_json& facts) {
  std::printf("\n%s\n", text_of(facts["command"]).c_str());
  if (facts.contains("trouble")) return row("can't be run", text_of(facts["trouble"]));
  if (facts.contains("script")) row("is a script, run by", text_of(facts["script"]));
  row("binary", text_of(facts["binary"]));
  if (facts.contains("objects")) {
    std::string names;
    for (std::size_t i = 1; i < facts["objects"].size(); ++i) {
      names += (i > 1 ? " " : "") + std::filesystem::path(text_of(facts["objects"][i])).filename().string();
    }
    row("is linked to", names);
    std::string openmp = facts["openmp"].get<std::string>();
    row("OpenMP", openmp.empty() ? "no" : openmp);
    if (facts.contains("openmp_note")) row("", text_of(facts["openmp_note"]));
    row("oneTBB", facts["tbb"] ? "yes" : "no");
  }
  row("lane", text_of(facts["lane"]));
  row("because", text_of(facts["lane_reason"]));
  if (!facts.contains("findings") || facts["findings"].empty()) return;
  std::printf("\n  What depends on the thread it runs on\n");
  for (const ordered_json& finding : facts["findings"]) {
    std::string name = finding["name"].get<std::string>();
    std::printf("    %s: %s%s%s\n", text_of(finding["object"]).c_str(), name.c_str(), name.empty() ? "" : ": ",
                text_of(finding["meaning"]).c_str());
  }
}

}  // namespace

int doctor_command(int argc, char** argv) {
  bool json = false, quiet = false, explain = false;
  Given given;
  int begin = where_command_begins(argc, argv);
  int options = begin > 1 && !std::strcmp(argv[begin - 1], "--") ? begin - 1 : begin;
  std::string command = begin < argc ? argv[begin] : "";
  CLI::App app{"weir doctor [--json] [OPTIONS] [--] [CMD ARGS...]\nTells what this machine allows, and what CMD would get from weir run and why.",
               "weir doctor"};
  app.add_flag("--json", json, "as JSON")->disable_flag_override();
  add_settings(app, given);
  app.add_flag(quiet_flag.name, quiet, quiet_flag.help)->disable_flag_override();
  app.add_flag(explain_flag.name, explain, explain_flag.help)->disable_flag_override();
  try {
    app.parse(options, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "weir: %s\nweir: weir doctor takes --json, the options of weir run, and a program with its arguments\n", error.what());
    return status_usage;
  }
  for (const auto& [variable, text] : given)
    if (!text.empty()) setenv(variable.c_str(), text.c_str(), 1);
  ordered_json facts = {{"version", WEIR_VERSION}, {"machine", machine_facts()}};
  bool have_ring = facts["machine"]["capabilities"]["io_uring"]["have"];
  if (!command.empty()) facts["program"] = program_facts(command, have_ring);
  bool trouble = facts.contains("program") && facts["program"].contains("trouble");
  if (json) {
    std::puts(facts.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else {
    std::puts("weir " WEIR_VERSION);
    tell_machine(facts["machine"]);
    if (facts.contains("program")) tell_program(facts["program"]);
  }
  return trouble ? status_failed : 0;
}

}  // namespace weir::cli
