// SPDX-License-Identifier: Apache-2.0
#include "api/writer.h"

#include <cstring>

#include "sys/file.h"
#include "sys/unsignalled.h"

namespace weir::api {

void Writer::flush() {
  sys::Unsignalled unsignalled;
  const char* text = buffer_;
  while (held_ && !error_) {
    Result wrote = sys::write(fd_, text, held_);
    if (failed(wrote)) error_ = static_cast<int>(wrote);
    else text += wrote, held_ -= static_cast<std::size_t>(wrote);
  }
  held_ = 0;
}

void Writer::put(const char* text) { put(text, std::strlen(text)); }

void Writer::put(const char* text, std::size_t length) {
  while (length) {
    if (held_ == sizeof buffer_) flush();
    std::size_t part = length < sizeof buffer_ - held_ ? length : sizeof buffer_ - held_;
    std::memcpy(buffer_ + held_, text, part);
    held_ += part;
    text += part;
    length -= part;
  }
}

void Writer::put_string(const char* text) { put_string(text, std::strlen(text)); }

void Writer::put_string(const char* text, std::size_t length) {
  put("\"");
  for (std::size_t i = 0; i < length;) {
    unsigned char c = text[i];
    std::size_t bytes = bytes_of_character(text + i, length - i);
    if (c == '"' || c == '\\') put("\\");
    if (c < 0x20 || !bytes) put(base::Line().add("\\u%04x", c));
    else put(text + i, bytes);
    i += bytes ? bytes : 1;
  }
  put("\"");
}

// Of the first byte come the length and what the second may be: no longer form than is needed, no surrogate, nothing beyond U+10FFFF.
std::size_t bytes_of_character(const char* text, std::size_t length) {
  if (!length) return 0;
  auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = at(0), least = 0x80, most = 0xbf;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes > length) return 0;
  if (first == 0xe0) least = 0xa0;
  if (first == 0xed) most = 0x9f;
  if (first == 0xf0) least = 0x90;
  if (first == 0xf4) most = 0x8f;
  if (at(1) < least || at(1) > most) return 0;
  for (std::size_t i = 2; i < bytes; ++i)
    if (at(i) < 0x80 || at(i) > 0xbf) return 0;
  return bytes;
}

int Writer::finish() {
  flush();
  return error_;
}

}  // namespace weir::api
