// SPDX-License-Identifier: Apache-2.0
#include "sys/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace weir::sys {
namespace {

void expect_the_same(int fd) {
  struct stat said, known;
  ASSERT_EQ(::fstat(fd, &said), 0);
  ASSERT_EQ(known_of(fd, &known), 0);
  EXPECT_EQ(known.st_mode, said.st_mode);
  EXPECT_EQ(known.st_dev, said.st_dev);
  EXPECT_EQ(known.st_rdev, said.st_rdev);
  EXPECT_EQ(known.st_ino, said.st_ino);
  EXPECT_EQ(known.st_size, said.st_size);
}

// The end of a process in which this system call fails so: 0 if `what` holds there.
template <typename What>
int without(int call, int error, What what) {
  pid_t child = fork();
  if (child == 0) {
    sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog program{sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(77);
    _exit(what() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(KnownOfTest, SaysWhatFstatSays) {
  std::FILE* file = std::tmpfile();
  ASSERT_TRUE(file);
  std::fputs("some bytes", file);
  std::fflush(file);
  expect_the_same(fileno(file));
  std::fclose(file);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  expect_the_same(ends[0]);
  ::close(ends[0]), ::close(ends[1]);
  for (int fd : {::open("/dev/null", O_RDONLY), ::open("/", O_RDONLY | O_DIRECTORY), socket(AF_INET, SOCK_STREAM, 0),
                 ::open("/", O_PATH)}) {
    expect_the_same(fd);
    ::close(fd);
  }
  struct stat known;
  EXPECT_EQ(known_of(-1, &known), -EBADF);
}

// fstat asks the server of a distant file: a round trip for each call that we serve.
TEST(KnownOfTest, AsksNoServer) {
  int fd = ::open("/dev/null", O_RDONLY);
  EXPECT_EQ(without(SYS_fstat, EIO, [&] {
    struct stat known;
    return known_of(fd, &known) == 0 && S_ISCHR(known.st_mode) && !is_storage(fd);
  }), 0);
  ::close(fd);
}

TEST(KnownOfTest, AsksFstatWhereThereIsNoStatx) {
  int fd = ::open("/dev/null", O_RDONLY);
  for (int error : {ENOSYS, EPERM}) {
    EXPECT_EQ(without(SYS_statx, error, [&] {
      struct stat known;
      return known_of(fd, &known) == 0 && S_ISCHR(known.st_mode);
    }), 0);
  }
  ::close(fd);
}

}  // namespace
}  // namespace weir::sys
