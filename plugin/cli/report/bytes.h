// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>

namespace weir::cli {

// A file's bytes for the JSON parser: never more than one piece of it in memory, bytes that are no UTF-8 replaced by
// '?' (a command line may hold any), and an end where a word is longer than any of ours, which the parser would
// otherwise gather whole.
class Bytes {
 public:
  static constexpr std::size_t longest_word = 1 << 20;

  // "" or why the file can't be read.
  std::string open(const std::string& file);

  int get();  // the next byte, -1 at the end
  std::uint64_t position() const { return position_; }
  bool ended() const { return ended_ && at_ == buffer_.size(); }  // all of the file was handed out
  bool word_too_long() const { return word_ > longest_word; }
  int error() const { return error_; }           // of a read that failed, else 0

  // What the parser reads from: one pass, so copies share the position.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;
    Iterator() = default;
    explicit Iterator(Bytes& bytes) : bytes_(&bytes), byte_(bytes.get()) {}
    char operator*() const { return static_cast<char>(byte_); }
    Iterator& operator++() {
      byte_ = bytes_->get();
      return *this;
    }
    bool operator==(const Iterator& other) const { return byte_ == other.byte_ || (byte_ < 0 && other.byte_ < 0); }
    bool operator!=(const Iterator& other) const { return !(*this == other); }

   private:
    Bytes* bytes_ = nullptr;
    int byte_ = -1;
  };

 private:
  int raw();
  int peek(std::size_t ahead);
  bool fill(std::size_t wanted);
  int valid_sequence(int first);
  void measure(int byte);

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t position_ = 0;
  std::size_t word_ = 0;   // bytes since a word, or a string, began
  int pending_ = 0;        // bytes of a checked sequence still to hand out
  bool in_string_ = false, escaped_ = false, ended_ = false;
  int error_ = 0;
};

}  // namespace weir::cli
