// SPDX-License-Identifier: Apache-2.0
#include "cli/team_file.h"

#include <cstring>

#include "cli/image_file.h"
#include "lane/asks.h"
#include "lane/laid_out.h"
#include "lane/marks.h"
#include "omp_ext/team_names.h"

namespace weir::cli {
namespace {

const char* file_name(const std::string& object) { return lane::file_name(object.c_str()); }

bool names_tasks(const lane::Image& image) {
  bool tasks = false;
  image.each_import([&](const char* import, unsigned) {
    tasks |= !std::strncmp(import, "GOMP_task", 9) || !std::strncmp(import, "__kmpc_omp_task", 15);
  });
  return tasks;
}

// False: its code can't be read here.
bool add_code(team::Program& program, const std::string& object) {
  lane::LaidOut file(object.c_str());
  if (!file.whole()) return false;
  lane::Object code = file.object();
  lane::Object::also(&code);
  team::add_asks(program, lane::asks_of(code));
  lane::Object::also(nullptr);
  return true;
}

}  // namespace

const char* why_teams_stay(const std::vector<std::string>& objects) {
  team::Program program{.every_region_blocks = true};  // as may be
  std::vector<const std::string*> ask;
  bool tasks = false;
  for (const std::string& object : objects) {
    if (lane::is_runtime(file_name(object))) continue;
    with_image(object, [&](const lane::Image& image) {
      tasks |= names_tasks(image);
      team::add_names(program, image, file_name(object));
      if (team::asks_for_numbers(image)) ask.push_back(&object);
    });
  }
  if (tasks) return nullptr;
  auto stays = [&] { return team::leeway_of(program).freedom == team::Freedom::none; };
  for (const std::string* object : ask)
    if (!stays() && !add_code(program, *object)) return nullptr;
  return stays() ? team::leeway_of(program).because : nullptr;
}

}  // namespace weir::cli
