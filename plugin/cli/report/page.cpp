// SPDX-License-Identifier: Apache-2.0
#include "cli/report/page.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "cli/report/advice.h"
#include "cli/report/page_files.h"
#include "cli/report/verdict.h"

namespace weir::cli {
namespace {

std::string escaped(const std::string& words) {
  std::string out;
  for (char c : words) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

// JSON that can stand in a script element: no text of a report may end it.
std::string for_script(const Json& value) {
  std::string out;
  for (char c : value.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') out += "\\u003c";
    else if (c == '>') out += "\\u003e";
    else if (c == '&') out += "\\u0026";
    else out += c;
  }
  return out;
}

// The template with a value for each {{name}} of its own; what looks like one in a value stays as it is.
std::string filled(const std::string& form, const std::map<std::string, std::string>& values) {
  std::string page;
  std::size_t done = 0;
  for (std::size_t at; (at = form.find("{{", done)) != std::string::npos;) {
    std::size_t end = form.find("}}", at);
    page.append(form, done, at - done);
    page += values.at(form.substr(at + 2, end - at - 2));
    done = end + 2;
  }
  return page.append(form, done);
}

Json advice_for_page(const Record& record) {
  Json all = Json::array();
  for (const Advice& advice : advice_of(record)) {
    Json one = {{"reason", advice.reason}, {"what", advice.what}, {"action", advice.action}, {"where", advice.where}};
    if (advice.timed) one["seconds"] = advice.seconds;
    if (advice.calls > 0) one["calls"] = advice.calls;
    all.push_back(one);
  }
  return all;
}

// The report as it was written, with what was found out about it.
Json for_page(const Record& record) {
  Json process = record.body;
  process["file"] = record.file;
  process["command_line"] = command_of(record);
  // Reports without a timeline have the controller's.
  if (list(process, "timeline").empty()) process["timeline"] = list(process, "controller");
  process.erase("controller");
  process["call_sites"] = record.call_sites;
  process["other_sites"] = {{"sites", record.other_sites}, {"count", record.other_calls}, {"bytes", record.other_bytes},
                            {"waited_s", record.other_waited_s}};
  process["advice"] = advice_for_page(record);
  process["remarks"] = record.remarks;
  return process;
}

std::string page(const char* kind, const std::string& title, const std::string& sentence,
                 const std::vector<const Record*>& records) {
  Json data = {{"kind", kind}, {"weir", WEIR_VERSION}, {"processes", Json::array()}};
  for (const Record* record : records) data["processes"].push_back(for_page(*record));
  return filled(page_files::html, {{"style", page_files::style},
                                   {"script", page_files::script},
                                   {"title", escaped(title)},
                                   {"sentence", escaped(sentence)},
                                   {"data", for_script(data)}});
}

}  // namespace

std::string page_of_run(const std::vector<Record>& processes) {
  std::vector<const Record*> records;
  for (const Record& record : processes) records.push_back(&record);
  return page("run", command_of(processes.front()), verdict(processes), records);
}

std::string page_of_two(const Record& a, const Record& b) {
  return page("compare", command_of(a) + " and " + command_of(b), verdict(a, b), {&a, &b});
}

std::string write_page(const std::string& file, const std::string& content) {
  std::FILE* out = file == "-" ? stdout : std::fopen(file.c_str(), "we");
  if (!out) return "can't write " + file + ": " + std::strerror(errno);
  errno = 0;
  bool whole = std::fwrite(content.data(), 1, content.size(), out) == content.size();
  whole = std::fflush(out) == 0 && whole;
  int error = errno;
  if (out != stdout) std::fclose(out);
  if (whole) return "";
  struct stat status;
  if (file != "-" && !stat(file.c_str(), &status) && S_ISREG(status.st_mode)) unlink(file.c_str());
  return "can't write " + (file == "-" ? "to standard output" : file) + ": " + std::strerror(error ? error : EIO);
}

}  // namespace weir::cli
