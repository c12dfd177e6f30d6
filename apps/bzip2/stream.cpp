// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <bzlib.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace bzip2 {

namespace {

// libbz2 counts in unsigned int: what it is given at once stays under this.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

[[noreturn]] void fail(const char* what, int code) {
  throw std::runtime_error(std::string(what) + ": libbz2 says " + std::to_string(code));
}

// Gives the stream room for `bytes` more behind what `out` holds.
void make_room(bz_stream& stream, std::string& out, std::size_t bytes) {
  const std::size_t held = out.size();
  out.resize(held + bytes);
  stream.next_out = out.data() + held;
  stream.avail_out = static_cast<unsigned>(bytes);
}

void feed(bz_stream& stream, std::span<const char>& data) {
  const std::size_t bytes = std::min(data.size(), most_at_once);
  stream.next_in = const_cast<char*>(data.data());  // libbz2 reads it only; its interface is older than const
  stream.avail_in = static_cast<unsigned>(bytes);
  data = data.subspan(bytes);
}

}  // namespace

std::string compress(std::span<const char> data, int level) {
  bz_stream stream{};
  if (const int code = BZ2_bzCompressInit(&stream, level, 0, 0); code != BZ_OK) fail("compress", code);
  std::string out;
  // The library's promise: 1 % and 600 bytes more at worst. Most data need far less; grow when needed.
  make_room(stream, out, std::min(data.size() / 2 + 1024, most_at_once));
  int code = BZ_RUN_OK;
  while (code != BZ_STREAM_END) {
    if (stream.avail_in == 0 && !data.empty()) feed(stream, data);
    const bool last = data.empty();
    code = BZ2_bzCompress(&stream, last ? BZ_FINISH : BZ_RUN);
    if (code < 0) {
      BZ2_bzCompressEnd(&stream);
      fail("compress", code);
    }
    if (code != BZ_STREAM_END && stream.avail_out == 0)
      make_room(stream, out, std::min(out.size(), most_at_once));
  }
  out.resize(out.size() - stream.avail_out);
  BZ2_bzCompressEnd(&stream);
  return out;
}

std::string decompress(std::span<const char> data) {
  std::string out;
  while (!data.empty()) {
    bz_stream stream{};
    if (const int code = BZ2_bzDecompressInit(&stream, 0, 0); code != BZ_OK) fail("decompress", code);
    make_room(stream, out, std::min(data.size() * 4 + 1024, most_at_once));
    int code = BZ_OK;
    while (code == BZ_OK) {
      if (stream.avail_in == 0 && !data.empty()) feed(stream, data);
      if (stream.avail_out == 0) make_room(stream, out, std::min(out.size(), most_at_once));
      code = BZ2_bzDecompress(&stream);
      if (code == BZ_OK && stream.avail_in == 0 && data.empty() && stream.avail_out != 0)
        code = BZ_UNEXPECTED_EOF;
    }
    out.resize(out.size() - stream.avail_out);
    // What was fed and not used begins the next stream.
    data = std::span(stream.next_in, stream.avail_in + data.size());
    BZ2_bzDecompressEnd(&stream);
    if (code != BZ_STREAM_END) fail("decompress", code);
  }
  return out;
}

}  // namespace bzip2
