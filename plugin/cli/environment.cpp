// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/settings.h"
#include "sys/capabilities.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
constexpr const char* library = "libweir_preload.so";

bool is_sanitizer(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  for (const char* start : {"libasan.so", "libtsan.so", "libhwasan.so", "liblsan.so", "libubsan.so", "libclang_rt."}) {
    if (name.rfind(start, 0) == 0) return true;
  }
  return false;
}

// The loader takes spaces and colons for separators.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::string part;
  for (char c : list + ":") {
    if (c != ':' && c != ' ') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(part);
      part.clear();
    }
  }
  return parts;
}

// A program may change its folder before the file is written.
std::string absolute(const std::string& file) {
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  return error ? file : path.lexically_normal().string();
}

constexpr const char* files[] = {"WEIR_REPORT", "WEIR_TRACE", "WEIR_DECISIONS"};

// What WEIR_DEBUG may hold: base/settings.cpp's help has the same.
constexpr const char* debug_words[] = {"suspend-always", "small-trace", "small-crew", "shuffle"};

bool is_capability(const std::string& word) {
  return std::any_of(sys::capability_names, sys::capability_names + sys::capability_count,
                     [&](const sys::CapabilityName& row) { return word == row.name; });
}

bool is_debug_word(const std::string& word) {
  return std::find(std::begin(debug_words), std::end(debug_words), word) != std::end(debug_words);
}

bool is_variable(const std::string& name) {
  const base::Setting* end = base::settings_table + base::settings_count;
  return name == "WEIR_ROOT" || std::any_of(base::settings_table, end, [&](const base::Setting& row) { return name == row.variable; });
}

void replace_all(std::string& text, const std::string& mark, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size()) text.replace(at, mark.size(), by);
}

}  // namespace

void name_files(Given& given) {
  utsname machine{};
  uname(&machine);
  for (const char* file : files) {
    auto name = given.find(file);
    if (name == given.end()) continue;
    replace_all(name->second, "%p", std::to_string(getpid()));
    replace_all(name->second, "%h", machine.nodename);
  }
}

std::string preload_library() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  // Without /proc: as it was started, and links followed.
  if (error) self = fs::canonical(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), error);
  if (error) return "";
  fs::path root = self.parent_path().parent_path();
  for (const char* folder : {"lib", WEIR_LIBRARY_FOLDER}) {
    fs::path candidate = root / folder / library;
    if (fs::exists(candidate, error)) return candidate.string();
  }
  return "";
}

std::vector<std::string> unknown_in_environment() {
  std::vector<std::string> troubles;
  for (char** entry = environ; *entry; ++entry) {
    std::string text = *entry, name = text.substr(0, text.find('='));
    if (name.rfind("WEIR_", 0) == 0 && !is_variable(name)) troubles.push_back(name + " is no variable of weir's; weir help lists them");
    bool disables = name == "WEIR_DISABLE";
    if (!disables && name != "WEIR_DEBUG") continue;
    std::istringstream words(text.substr(std::min(text.size(), name.size() + 1)));
    for (std::string word; std::getline(words, word, ',');)
      if (!(disables ? is_capability(word) : is_debug_word(word))) troubles.push_back(name + ": there is no '" + word + "'");
  }
  return troubles;
}

std::string why_no_preload(const std::string& preload) {
  if (preload.empty()) return std::string(library) + " is not beside this command, nor in ../" WEIR_LIBRARY_FOLDER;
  if (preload.find_first_of(" :") == std::string::npos) return "";
  return "the loader can't be told of " + preload + ": there is a space or a colon in its path";
}

std::string preload_list(const std::string& before, const std::string& ours, const std::string& libomp,
                         const std::vector<std::string>& objects) {
  std::vector<std::string> first, rest;
  // A program linked to a sanitizer's shared library aborts when that does not come first of all.
  for (const std::string& object : objects) {
    if (is_sanitizer(object)) first.push_back(object);
  }
  for (const std::string& entry : split(before)) {
    std::string name = fs::path(entry).filename().string();
    if (name == library) continue;
    bool listed = false;
    for (const std::string& other : first) listed |= fs::path(other).filename() == name;
    if (!is_sanitizer(entry)) rest.push_back(entry);
    else if (!listed) first.push_back(entry);
  }
  first.push_back(ours);
  if (!libomp.empty()) first.push_back(libomp);
  std::string list;
  for (const auto* part : {&first, &rest}) {
    for (const std::string& entry : *part) list += (list.empty() ? "" : ":") + entry;
  }
  return list;
}

void set_environment(const Wish& wish, const std::string& preload, const std::string& note) {
  for (const auto& [variable, text] : wish.given) {
    if (text.empty()) continue;
    bool file = std::find(std::begin(files), std::end(files), variable) != std::end(files);
    setenv(variable.c_str(), file ? absolute(text).c_str() : text.c_str(), 1);
  }
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv("WEIR_SUMMARY", wish.quiet ? "0" : "1", 1);
  // exec keeps the process id: the report of the program itself gets the name that was asked for.
  setenv("WEIR_ROOT", std::to_string(getpid()).c_str(), 1);
  if (note.empty()) unsetenv("WEIR_NOTE");
  else setenv("WEIR_NOTE", note.c_str(), 1);
}

void clear_environment() {
  for (std::size_t i = 0; i < base::settings_count; ++i) unsetenv(base::settings_table[i].variable);
  unsetenv("WEIR_ROOT");
}

}  // namespace weir::cli
