// SPDX-License-Identifier: Apache-2.0
// The first thread leaves by pthread_exit: the process ends when the rest of the program is over, be it a task, an operation's
// function or a thread that a task began; and it does end then.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "weir/future.hpp"
#include "weir/message.h"
#include "weir/weir.h"

namespace {

using namespace std::chrono_literals;

constexpr int came_to_its_end = 7;

// How a process ends that does this and has its first thread leave.
template <typename Begin>
int end_of(Begin begin) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    begin();
    pthread_exit(nullptr);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

template <typename Task>
void leave_behind(Task task) {
  new auto(weir::async(task));
}

TEST(LastThreadTest, a_task_that_computes_or_blocks_its_worker) {
  EXPECT_EQ(end_of([] { leave_behind([] { usleep(300'000), _exit(came_to_its_end); }); }), came_to_its_end);
}

TEST(LastThreadTest, a_task_that_is_set_aside) {
  EXPECT_EQ(end_of([] { leave_behind([] { weir_sleep(300'000'000), _exit(came_to_its_end); }); }), came_to_its_end);
}

TEST(LastThreadTest, the_function_of_an_operation) {
  EXPECT_EQ(end_of([] {
              weir_operation* sleep;
              weir_start_sleep(&sleep, 300'000'000);
              weir_on_complete(sleep, [](void*, ssize_t) { _exit(came_to_its_end); }, nullptr);
            }),
            came_to_its_end);
}

TEST(LastThreadTest, the_continuation_of_a_message) {
  EXPECT_EQ(end_of([] {
              int ends[2];
              if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) _exit(1);
              if (fork() == 0) usleep(300'000), _exit(0);  // and with it the other end
              close(ends[1]);
              static weir_link* link;
              static char byte;
              if (weir_link_open(&link, ends[0], nullptr)) _exit(1);
              weir_mcont(weir_msg_recv(link, &byte, 1), [](void*, ssize_t) { _exit(came_to_its_end); }, nullptr);
            }),
            came_to_its_end);
}

TEST(LastThreadTest, a_thread_that_a_task_began) {
  EXPECT_EQ(end_of([] {
              weir::async([] { std::thread([] { usleep(300'000), _exit(came_to_its_end); }).detach(); }).get();
            }),
            came_to_its_end);
}

TEST(LastThreadTest, a_program_called_as_threads_of_ours) {
  EXPECT_EQ(end_of([] {
              prctl(PR_SET_NAME, "weir-app");
              weir::async([] {}).get();
              std::thread([] { usleep(300'000), _exit(came_to_its_end); }).detach();
            }),
            came_to_its_end);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // the one has a thread of its own, the other looks for leaks then
TEST(LastThreadTest, nothing_of_the_program_s) {
  EXPECT_EQ(end_of([] {
              weir::async([] { weir_sleep(1'000'000); }).get();
              weir_operation* sleep;
              weir_start_sleep(&sleep, 1'000'000);
              weir_wait(sleep);
            }),
            0);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::GTEST_FLAG(catch_exceptions) = false;  // a thread leaves by one of libc's, which nobody may keep
  return RUN_ALL_TESTS();
}
