// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elfutils/libdwfl.h>

namespace weir::cli {

// Of libdw, what is used here.
#define WEIR_OF_LIBDW(each)                                                                                                \
  each(dwfl_begin) each(dwfl_end) each(dwfl_report_begin) each(dwfl_report_offline) each(dwfl_report_end)                  \
  each(dwfl_build_id_find_elf) each(dwfl_standard_find_debuginfo) each(dwfl_offline_section_address)                       \
  each(dwfl_module_getelf) each(dwfl_module_addrname) each(dwfl_module_getsrc) each(dwfl_module_nextcu)                    \
  each(dwfl_lineinfo) each(dwarf_ranges) each(dwarf_getsrc_die) each(dwarf_linesrc) each(dwarf_lineno)                     \
  each(dwarf_getscopes) each(dwarf_getscopes_die) each(dwarf_getsrcfiles) each(dwarf_filesrc) each(dwarf_tag)              \
  each(dwarf_attr) each(dwarf_formudata)

struct Libdw {
#define WEIR_FUNCTION(name) decltype(&::name) name;
  WEIR_OF_LIBDW(WEIR_FUNCTION)
#undef WEIR_FUNCTION
};

// Loaded when it is first asked for: with what it stands on it is five libraries, and most runs ask for no place in a source,
// or not before the program is over. nullptr: it is not to be had here.
const Libdw* libdw();

}  // namespace weir::cli
