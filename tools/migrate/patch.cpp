// SPDX-License-Identifier: Apache-2.0
#include "patch.h"

#include <algorithm>
#include <vector>

namespace weir::migrate {
namespace {

constexpr const char* header = "#include <weir/future.hpp>";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size() - 1;
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return lines;
}

// "#include NAME", however it is spaced; else nothing.
std::string included(const std::string& line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include")) return "";
  at = line.find_first_not_of(" \t", at + 7);
  return at == std::string::npos ? "" : line.substr(at, line.find_last_not_of(" \t\r\n") + 1 - at);
}

// Beside <future>, or the first of the file's includes; a file that has none gets it on top.
std::string with_header(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  std::size_t beside = 0, first = lines.size();
  bool found = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string name = included(lines[i]);
    if (name == "<weir/future.hpp>" || name == "\"weir/future.hpp\"") return text;
    if (!name.empty() && first == lines.size()) first = i;
    if (name.rfind("<future>", 0) == 0 && !found) beside = i + 1, found = true;
  }
  std::size_t at = found ? beside : first < lines.size() ? first : 0;
  bool pragma_on_top = at == 0 && !lines.empty() && lines[0].rfind("#pragma once", 0) == 0;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(pragma_on_top ? 1 : at), std::string(header).append("\n"));
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

}  // namespace

std::string edited(const std::string& text, const std::map<unsigned, Edit>& edits) {
  std::string out = text;
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) out.replace(edit->first, edit->second.bytes, edit->second.text);
  return with_header(out);
}

std::string difference(const std::string& file, const std::string& before, const std::string& after) {
  constexpr std::size_t context = 3;
  std::vector<std::string> old_lines = lines_of(before), new_lines = lines_of(after);
  struct Line {
    char mark;
    std::string text;
  };
  std::vector<Line> all;
  for (std::size_t a = 0, b = 0; a < old_lines.size() || b < new_lines.size();) {
    bool added = b < new_lines.size() && new_lines.size() > old_lines.size() && b == a &&
                 included(new_lines[b]) == "<weir/future.hpp>" && (a >= old_lines.size() || old_lines[a] != new_lines[b]);
    if (added) {
      all.push_back({'+', new_lines[b++]});
    } else if (old_lines[a] == new_lines[b]) {
      all.push_back({' ', old_lines[a]}), ++a, ++b;
    } else {
      all.push_back({'-', old_lines[a++]});
      all.push_back({'+', new_lines[b++]});
    }
  }
  std::string out = "--- a/" + file + "\n+++ b/" + file + "\n";
  std::size_t old_at = 1, new_at = 1;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t next = i;
    while (next < all.size() && all[next].mark == ' ') ++next;
    if (next == all.size()) break;
    std::size_t begin = next - i > context ? next - context : i, end = next, last = next;
    for (; end < all.size() && end <= last + 2 * context; ++end)
      if (all[end].mark != ' ') last = end;
    end = std::min(all.size(), last + context + 1);
    old_at += begin - i, new_at += begin - i;
    std::size_t old_count = 0, new_count = 0;
    std::string hunk;
    for (std::size_t k = begin; k < end; ++k) {
      old_count += all[k].mark != '+', new_count += all[k].mark != '-';
      hunk += all[k].mark;
    hunk += all[k].text;
      if (all[k].text.back() != '\n') hunk += "\n\\ No newline at end of file\n";
    }
    out += "@@ -" + std::to_string(old_at) + "," + std::to_string(old_count) + " +" + std::to_string(new_at) + "," +
           std::to_string(new_count) + " @@\n" + hunk;
    old_at += old_count, new_at += new_count;
    i = end;
  }
  return out;
}

}  // namespace weir::migrate
