// SPDX-License-Identifier: Apache-2.0
#include "cli/report/where.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <vector>

#include "cli/report/libdw.h"

namespace weir::cli {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

// Of those whose inline functions make our calls for the program: its own line is the one that says something.
bool is_header_of_library(const std::string& file) {
  for (const char* part : {"/oneapi/tbb/", "/include/c++/", "/include/weir/"})
    if (file.find(part) != std::string::npos) return true;
  return false;
}

// One object, opened once: two may be built to lie at the same addresses, so each has a session of its own.
class Object {
 public:
  Object(const Libdw& dw, const std::string& path)
      : dw_(dw),
        callbacks_{dw.dwfl_build_id_find_elf, dw.dwfl_standard_find_debuginfo, dw.dwfl_offline_section_address, nullptr},
        session_(dw.dwfl_begin(&callbacks_)) {
    struct stat status;
    if (!session_ || stat(path.c_str(), &status) || !S_ISREG(status.st_mode)) return;
    changed_ = status.st_mtime;
    dw_.dwfl_report_begin(session_);
    module_ = dw_.dwfl_report_offline(session_, path.c_str(), path.c_str(), -1);
    dw_.dwfl_report_end(session_, nullptr, nullptr);
    GElf_Addr bias = 0;
    if (module_ && dw_.dwfl_module_getelf(module_, &bias)) bias_ = bias;
  }
  ~Object() {
    if (session_) dw_.dwfl_end(session_);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::int64_t changed() const { return changed_; }

  Place of(std::uint64_t offset) {
    Place place;
    if (!module_ || !offset) return place;
    Dwarf_Addr address = bias_ + offset - 1;
    if (const char* name = dw_.dwfl_module_addrname(module_, address)) place.function = demangled(name);
    Dwfl_Line* line = dw_.dwfl_module_getsrc(module_, address);
    const char* file = line ? dw_.dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr) : nullptr;
    if (file) place.file = file;
    else find_in_units(address, place);
    if (is_header_of_library(place.file)) find_caller_inlined_into(address, place);
    return place;
  }

 private:
  // A part of the code, and the compilation unit that it is of.
  struct Range {
    Dwarf_Addr begin, end;
    Dwarf_Die unit;
    Dwarf_Addr bias;
  };

  // libdwfl looks into .debug_aranges, which clang does not write: the units themselves tell.
  void read_units() {
    units_read_ = true;
    Dwarf_Addr bias = 0, base = 0, begin = 0, end = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dw_.dwfl_module_nextcu(module_, unit, &bias)) && ranges_.size() < most_ranges;)
      for (std::ptrdiff_t at = 0; (at = dw_.dwarf_ranges(unit, at, &base, &begin, &end)) > 0;)
        ranges_.push_back({begin, end, *unit, bias});
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }

  Range* range_of(Dwarf_Addr address) {
    if (!units_read_) read_units();
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                  [](Dwarf_Addr a, const Range& range) { return a < range.begin + range.bias; });
    if (after == ranges_.begin()) return nullptr;
    Range& range = *(after - 1);
    return address < range.end + range.bias ? &range : nullptr;
  }

  void find_in_units(Dwarf_Addr address, Place& place) {
    place.line = 0;
    Range* range = range_of(address);
    Dwarf_Line* line = range ? dw_.dwarf_getsrc_die(&range->unit, address - range->bias) : nullptr;
    const char* file = line ? dw_.dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    if (!file || dw_.dwarf_lineno(line, &place.line)) return;
    place.file = file;
  }

  // The innermost of the calls inlined into one another here that the program itself wrote down.
  void find_caller_inlined_into(Dwarf_Addr address, Place& place) {
    Range* range = range_of(address);
    Dwarf_Die *innermost = nullptr, *scopes = nullptr;
    if (!range || dw_.dwarf_getscopes(&range->unit, address - range->bias, &innermost) <= 0) return;
    int count = dw_.dwarf_getscopes_die(innermost, &scopes);  // the above goes on where a function is declared, not inlined
    std::free(innermost);
    Dwarf_Files* files = nullptr;
    if (count > 0 && dw_.dwarf_getsrcfiles(&range->unit, &files, nullptr)) files = nullptr;
    for (int i = 0; files && i < count; ++i) {
      Dwarf_Attribute attribute;
      Dwarf_Word file = 0, line = 0;
      if (dw_.dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
          dw_.dwarf_formudata(dw_.dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &file) ||
          dw_.dwarf_formudata(dw_.dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &line))
        continue;
      const char* name = dw_.dwarf_filesrc(files, file, nullptr, nullptr);
      if (!name || is_header_of_library(name)) continue;
      place.file = name;
      place.line = static_cast<int>(line);
      break;
    }
    std::free(scopes);
  }

  static constexpr std::size_t most_ranges = 1'000'000;

  const Libdw& dw_;
  const Dwfl_Callbacks callbacks_;
  Dwfl* session_;
  bool units_read_ = false;
  std::vector<Range> ranges_;  // by where they begin
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
  std::int64_t changed_ = 0;
};

}  // namespace

struct Where::Objects {
  std::map<std::string, Object> opened;
};

Where::Where() : objects_(std::make_unique<Objects>()) {
  unsetenv("DEBUGINFOD_URLS");  // libdwfl would ask there
}
Where::~Where() = default;

Place Where::of(const std::string& object, std::uint64_t offset, std::int64_t as_of) {
  if (object.empty() || object[0] != '/') return {};
  const Libdw* dw = libdw();
  if (!dw) return {};
  Object& opened = objects_->opened.try_emplace(object, *dw, object).first->second;
  if (as_of && opened.changed() > as_of) return {};
  return opened.of(offset);
}

}  // namespace weir::cli
