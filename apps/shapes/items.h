// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shapes {

using Bytes = std::vector<char>;

// The work: files that are read whole and hashed.
struct Items {
  std::string root;
  int files = 0;
  std::size_t bytes = 0;
  long rounds = 1;  // of hashing

  std::string path(int index) const { return root + "/" + std::to_string(index); }
  void generate() const;
  void remove() const;
  Bytes read(int index) const;          // by open, read, close
  Bytes read_stdio(int index) const;    // by fopen, fread, fclose
  Bytes read_by_lines(int index) const; // by std::getline
  std::uint64_t work(int index, const Bytes& content) const;
  // The same, of content in parts that may be hashed by themselves: part `part` of `parts`.
  std::uint64_t work_on_part(int index, const Bytes& content, int part, int parts) const;
  std::uint64_t one(int index) const { return work(index, read(index)); }
};

// A way to share the work out. All give the same sum, but those that work on parts: they all give another one.
struct Shape {
  const char* name;
  const char* what;
  std::uint64_t (*run)(const Items&);
  bool by_parts;
};

const std::vector<Shape>& openmp_loop_shapes();
const std::vector<Shape>& openmp_task_shapes();
const std::vector<Shape>& tbb_shapes();

inline constexpr int parts = 64;

}  // namespace shapes
