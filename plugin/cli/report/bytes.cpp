// SPDX-License-Identifier: Apache-2.0
#include "cli/report/bytes.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace weir::cli {
namespace {

constexpr std::size_t piece = 1 << 16;

// Length of the UTF-8 sequence that a byte begins, and the least second byte that is no longer form of a shorter one.
struct Form {
  int length;
  int least, most;
};
Form form_of(int first) {
  if (first >= 0xc2 && first <= 0xdf) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first >= 0xf1 && first <= 0xf3) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

std::string Bytes::open(const std::string& file) {
  struct stat status;
  if (::stat(file.c_str(), &status)) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return std::strerror(EISDIR);
  file_.reset(std::fopen(file.c_str(), "rbe"));
  return file_ ? "" : std::strerror(errno);
}

bool Bytes::fill(std::size_t wanted) {
  if (buffer_.size() - at_ >= wanted) return true;
  if (ended_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  std::size_t held = buffer_.size();
  buffer_.resize(held + piece);
  errno = 0;
  std::size_t got = std::fread(buffer_.data() + held, 1, piece, file_.get());
  buffer_.resize(held + got);
  if (got < piece) {
    ended_ = true;
    if (std::ferror(file_.get())) error_ = errno ? errno : EIO;
  }
  return buffer_.size() >= wanted;
}

int Bytes::peek(std::size_t ahead) {
  return fill(ahead + 1) ? static_cast<unsigned char>(buffer_[at_ + ahead]) : -1;
}

int Bytes::raw() {
  if (!fill(1)) return -1;
  ++position_;
  return static_cast<unsigned char>(buffer_[at_++]);
}

// How many bytes follow `first` in a valid sequence; -1: it begins none.
int Bytes::valid_sequence(int first) {
  Form form = form_of(first);
  for (int i = 1; i < form.length; ++i) {
    int next = peek(i - 1);
    if (next < (i == 1 ? form.least : 0x80) || next > (i == 1 ? form.most : 0xbf)) return -1;
  }
  return form.length - 1;
}

void Bytes::measure(int byte) {
  bool ends = in_string_ ? byte == '"' && !escaped_ : std::strchr(" \t\r\n,:[]{}\"", byte) && byte;
  word_ = ends ? 0 : word_ + 1;
  if (ends && byte == '"') in_string_ = !in_string_;
  escaped_ = in_string_ && byte == '\\' && !escaped_;
}

int Bytes::get() {
  if (word_too_long()) return -1;
  int byte = raw();
  if (byte < 0) return byte;
  if (pending_) {
    --pending_;
  } else if (byte >= 0x80) {
    int more = valid_sequence(byte);
    if (more < 0) byte = '?';
    else pending_ = more;
  }
  measure(byte);
  return byte;
}

}  // namespace weir::cli
