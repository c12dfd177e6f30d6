// SPDX-License-Identifier: Apache-2.0
// The same work - read a file, compute on it - in the shapes that programs give it. Knows nothing of weir.
#include <cstdio>

#include "items.h"
#include "kit/arguments.h"
#include "kit/cold_files.h"
#include "kit/die.h"
#include "kit/result.h"

namespace {

using shapes::Items;
using shapes::Shape;

std::vector<Shape> all_shapes() {
  std::vector<Shape> all = shapes::openmp_loop_shapes();
  for (const auto* more : {&shapes::openmp_task_shapes(), &shapes::tbb_shapes()}) all.insert(all.end(), more->begin(), more->end());
  return all;
}

std::uint64_t serial(const Items& items, bool by_parts) {
  std::uint64_t sum = 0;
  for (int i = 0; i < items.files; ++i) {
    const shapes::Bytes content = items.read(i);
    if (!by_parts) sum += items.work(i, content);
    for (int part = 0; by_parts && part < shapes::parts; ++part) sum += items.work_on_part(i, content, part, shapes::parts);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "--shape=NAME | --list [--dir=D] [--files=1000] [--bytes=60000] [--compute=10] [--generate] [--remove] "
                           "[--cold=drop|no] [--verify]");
  const std::vector<Shape> all = all_shapes();
  if (arguments.flag("list")) {
    for (const Shape& shape : all) std::printf("%s\t%s\n", shape.name, shape.what);
    return 0;
  }
  Items items;
  items.root = arguments.text("dir", "/var/tmp/shapes");
  items.files = static_cast<int>(arguments.number("files", 1000));
  items.bytes = static_cast<std::size_t>(arguments.number("bytes", 60000));
  items.rounds = arguments.number("compute", 10);
  const std::string name = arguments.text("shape", ""), cold = arguments.text("cold", "no");
  const bool only_generate = arguments.flag("generate"), remove_after = arguments.flag("remove"), verify = arguments.flag("verify");
  if (items.files < 1 || items.files > 10'000'000) arguments.fail("--files is from 1 to 10000000");
  if (cold != "drop" && cold != "no") arguments.fail("--cold is drop or no");
  arguments.finish();

  items.generate();
  if (only_generate) return 0;
  const Shape* shape = nullptr;
  for (const Shape& one : all) {
    if (name == one.name) shape = &one;
  }
  if (!shape) arguments.fail("--shape: one of --list");
  if (cold == "drop" && !kit::drop_page_cache()) kit::die("/proc/sys/vm/drop_caches");

  const double began = kit::now();
  const std::uint64_t sum = shape->run(items);
  const double seconds = kit::now() - began;
  if (verify && sum != serial(items, shape->by_parts)) kit::wrong("another sum than one thread comes to");
  if (remove_after) items.remove();
  kit::print_result(sum, seconds, static_cast<std::uint64_t>(items.files));
  return 0;
}
