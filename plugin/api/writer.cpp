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
  for (std::size_t i = 0; i < length; ++i) {
    unsigned char c = text[i];
    if (c == '"' || c == '\\') put("\\");
    if (c < 0x20) put(base::Line().add("\\u%04x", c));
    else put(text + i, 1);
  }
  put("\"");
}

int Writer::finish() {
  flush();
  return error_;
}

}  // namespace weir::api
