// SPDX-License-Identifier: Apache-2.0
#include "fasta.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>

namespace smith_waterman {

namespace {

constexpr std::size_t line_length = 60;

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<Sequence> parse_fasta(std::string_view text, const std::string& name) {
  std::vector<Sequence> sequences;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.empty() || line.front() == ';') continue;
    if (line.front() == '>') {
      sequences.push_back({std::string(line.substr(1, line.find_first_of(" \t") - 1)), {}});
      continue;
    }
    if (sequences.empty()) throw std::runtime_error(name + ": residues before the first '>' line");
    auto& residues = sequences.back().residues;
    std::copy_if(line.begin(), line.end(), std::back_inserter(residues),
                 [](unsigned char letter) { return std::isspace(letter) == 0; });
  }
  return sequences;
}

std::vector<Sequence> read_fasta(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), path);
  struct stat status{};
  std::string text;
  if (::fstat(fd, &status) == 0) text.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  ssize_t got = 0;
  while (filled < text.size() &&
         (got = ::pread(fd, text.data() + filled, text.size() - filled, static_cast<off_t>(filled))) > 0)
    filled += static_cast<std::size_t>(got);
  const int error = got < 0 ? errno : 0;
  ::close(fd);
  if (error != 0) throw std::system_error(error, std::generic_category(), path);
  text.resize(filled);
  return parse_fasta(text, path);
}

void write_fasta(const std::string& path, const std::vector<Sequence>& sequences) {
  std::ofstream file(path);
  for (const auto& sequence : sequences) {
    file << '>' << sequence.name << '\n';
    for (std::size_t at = 0; at < sequence.residues.size(); at += line_length)
      file << std::string_view(sequence.residues).substr(at, line_length) << '\n';
  }
  file.flush();
  if (!file) throw std::system_error(errno, std::generic_category(), path);
}

std::string random_residues(std::string_view letters, std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string residues(length, '\0');
  std::generate(residues.begin(), residues.end(), [&] { return letters[random() % letters.size()]; });
  return residues;
}

std::string mutated(std::string_view residues, std::string_view letters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out;
  for (std::size_t at = 0; at < residues.size(); ++at) {
    const auto dice = random() % 200;
    if (dice == 0) {
      at += random() % 8;  // a gap
    } else if (dice == 1) {
      out += random_residues(letters, 1 + random() % 8, random());
    } else if (dice < 12) {
      out += letters[random() % letters.size()];
    } else {
      out += residues[at];
    }
  }
  return out;
}

}  // namespace smith_waterman
