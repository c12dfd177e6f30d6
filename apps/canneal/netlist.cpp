// SPDX-License-Identifier: Apache-2.0
#include "netlist.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace canneal {

namespace {

using Net = std::pair<std::uint32_t, std::uint32_t>;

// The lines of a file, by getline(3).
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "r"), std::fclose) {
    if (!file_) throw std::system_error(errno, std::generic_category(), path);
  }
  ~Lines() { std::free(line_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // False at the end of the file.
  bool next(std::string_view& line) {
    errno = 0;
    const ssize_t length = ::getline(&line_, &capacity_, file_.get());
    if (length < 0) {
      if (std::ferror(file_.get()) != 0) throw std::system_error(errno, std::generic_category(), path_);
      return false;
    }
    line = std::string_view(line_, static_cast<std::size_t>(length));
    return true;
  }

 private:
  const std::string& path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

std::string_view take_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t\r\n";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const auto word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

// Numbers the elements in the order in which their names first come.
class Numbers {
 public:
  std::uint32_t of(std::string_view name) {
    const auto [at, fresh] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size()));
    return at->second;
  }
  std::size_t size() const { return numbers_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> names(numbers_.size());
    for (const auto& [name, number] : numbers_) names[number] = name;
    return names;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

void join(Netlist& netlist, const std::vector<Net>& nets) {
  netlist.first.assign(netlist.size() + 1, 0);
  for (const auto& [a, b] : nets) {
    ++netlist.first[a + 1];
    ++netlist.first[b + 1];
  }
  for (std::size_t e = 0; e < netlist.size(); ++e) netlist.first[e + 1] += netlist.first[e];
  netlist.peers.resize(2 * nets.size());
  auto next = netlist.first;
  for (const auto& [a, b] : nets) {
    netlist.peers[next[a]++] = b;
    netlist.peers[next[b]++] = a;
  }
}

// a, b, ..., z, aa, ab, ... as PARSEC's files name their elements.
std::string letters(std::size_t number) {
  std::string name;
  for (++number; number != 0; number = (number - 1) / 26) name += static_cast<char>('a' + (number - 1) % 26);
  std::reverse(name.begin(), name.end());
  return name;
}

}  // namespace

Netlist read_netlist(const std::string& path) {
  Lines lines(path);
  std::string_view line;
  Netlist netlist;
  unsigned long elements = 0;
  if (!lines.next(line) ||
      std::sscanf(std::string(line).c_str(), "%lu %u %u", &elements, &netlist.max_x, &netlist.max_y) != 3)
    throw std::runtime_error(path + ": the first line is not 'elements max_x max_y'");
  if (elements > std::size_t{netlist.max_x} * netlist.max_y)
    throw std::runtime_error(path + ": more elements than places on the chip");

  Numbers numbers;
  std::vector<Net> nets;
  std::size_t described = 0;
  while (lines.next(line)) {
    const auto name = take_word(line);
    if (name.empty()) continue;
    const std::uint32_t element = numbers.of(name);
    take_word(line);  // the type: a number that PARSEC's annealer does not use either
    auto word = take_word(line);
    for (; !word.empty() && word != "END"; word = take_word(line))
      nets.emplace_back(numbers.of(word), element);
    if (word.empty()) throw std::runtime_error(path + ": the line of '" + std::string(name) + "' has no END");
    ++described;
  }
  if (described != elements || numbers.size() != elements)
    throw std::runtime_error(path + ": " + std::to_string(elements) + " elements announced, " +
                             std::to_string(described) + " described, " + std::to_string(numbers.size()) +
                             " named");
  netlist.names = numbers.names();
  join(netlist, nets);
  return netlist;
}

void generate_netlist(const std::string& path, std::size_t elements, std::uint64_t seed) {
  std::ofstream file(path);
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(elements) * 1.1)));
  file << elements << '\t' << side << '\t' << side << '\n';
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> place(elements);  // where in the file the element at each hidden place stands
  for (std::size_t e = 0; e < elements; ++e) place[e] = static_cast<std::uint32_t>(e);
  for (std::size_t e = elements; e > 1; --e) std::swap(place[e - 1], place[random() % e]);
  for (std::size_t e = 0; e < elements; ++e) {
    file << letters(place[e]) << '\t' << 1 + random() % 2 << '\t';
    for (std::size_t fan_in = 1 + random() % 5; fan_in != 0; --fan_in) {
      std::size_t peer = random() % elements;
      if (random() % 8 != 0) {
        const std::size_t near = e + (random() % 5) * side + random() % 5;
        peer = near < elements ? near : e - std::min(e, near - e);
      }
      if (peer != e) file << letters(place[peer]) << '\t';
    }
    file << "END\n";
  }
  file.flush();
  if (!file) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace canneal
