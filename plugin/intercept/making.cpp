// SPDX-License-Identifier: Apache-2.0
// Calls that make descriptors without a wait: where more tasks are under way than without us there may be none left for them.
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "intercept/open_room.h"
#include "intercept/real.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(int, int, int)> real_socket{"socket"};
WEIR_REAL Real<int(int, int, int, int*)> real_socketpair{"socketpair"};
WEIR_REAL Real<int(int*)> real_pipe{"pipe"};
WEIR_REAL Real<int(int*, int)> real_pipe2{"pipe2"};
WEIR_REAL Real<int(unsigned, int)> real_eventfd{"eventfd"};
WEIR_REAL Real<int(int)> real_epoll_create{"epoll_create"};
WEIR_REAL Real<int(int)> real_epoll_create1{"epoll_create1"};
WEIR_REAL Real<int(clockid_t, int)> real_timerfd_create{"timerfd_create"};
WEIR_REAL Real<int(const char*, unsigned)> real_memfd_create{"memfd_create"};
WEIR_REAL Real<int(char*)> real_mkstemp{"mkstemp"};
WEIR_REAL Real<int(char*, int)> real_mkostemp{"mkostemp"};
WEIR_REAL Real<FILE*()> real_tmpfile{"tmpfile"};
WEIR_REAL Real<FILE*(const char*, const char*)> real_popen{"popen"};

template <typename Make>
FILE* stream_with_room(Make make) {
  FILE* stream = nullptr;
  made_with_room([&] {
    stream = make();
    return stream ? 0 : -1;
  });
  return stream;
}

// libc has put a name into the template that it could not open.
template <typename Make>
int temporary_with_room(char* name, Make make) {
  bool again = false;
  return made_with_room([&] {
    constexpr std::size_t wild = 6;
    if (again) std::memset(name + std::strlen(name) - wild, 'X', wild);
    again = true;
    return make();
  });
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int socket(int domain, int type, int protocol) noexcept {
  return made_with_room([=] { return real_socket(domain, type, protocol); });
}
int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  return made_with_room([=] { return real_socketpair(domain, type, protocol, ends); });
}
int pipe(int* ends) noexcept {
  return made_with_room([=] { return real_pipe(ends); });
}
int pipe2(int* ends, int flags) noexcept {
  return made_with_room([=] { return real_pipe2(ends, flags); });
}
int eventfd(unsigned count, int flags) noexcept {
  return made_with_room([=] { return real_eventfd(count, flags); });
}
int epoll_create(int size) noexcept {
  return made_with_room([=] { return real_epoll_create(size); });
}
int epoll_create1(int flags) noexcept {
  return made_with_room([=] { return real_epoll_create1(flags); });
}
int timerfd_create(clockid_t clock, int flags) noexcept {
  return made_with_room([=] { return real_timerfd_create(clock, flags); });
}
int memfd_create(const char* name, unsigned flags) noexcept {
  return made_with_room([=] { return real_memfd_create(name, flags); });
}
int mkstemp(char* name) {
  return temporary_with_room(name, [=] { return real_mkstemp(name); });
}
int mkostemp(char* name, int flags) {
  return temporary_with_room(name, [=] { return real_mkostemp(name, flags); });
}
FILE* tmpfile() {
  return stream_with_room([] { return real_tmpfile(); });
}
FILE* tmpfile64() {
  return stream_with_room([] { return real_tmpfile(); });
}
FILE* popen(const char* command, const char* mode) {
  return stream_with_room([=] { return real_popen(command, mode); });
}

int mkstemp64(char*) __attribute__((nonnull(1), alias("mkstemp")));
int mkostemp64(char*, int) __attribute__((nonnull(1), alias("mkostemp")));

}  // extern "C"
#pragma GCC visibility pop
