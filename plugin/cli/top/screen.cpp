// SPDX-License-Identifier: Apache-2.0
#include "cli/top/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

namespace weir::cli {
namespace {

constexpr const char* enter = "\x1b[?1049h\x1b[?25l";
constexpr const char* leave = "\x1b[?25h\x1b[?1049l";

void put(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    ssize_t n = write(1, text.data() + at, text.size() - at);
    if (n < 0 && errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd out{1, POLLOUT, 0};
      poll(&out, 1, 100);
    } else if (n < 0 && errno != EINTR) {
      return;
    }
    if (n > 0) at += static_cast<std::size_t>(n);
  }
}

sigset_t handled() {
  sigset_t set;
  sigemptyset(&set);
  for (int sig : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP}) sigaddset(&set, sig);
  return set;
}

std::int64_t now_ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1'000'000;
}

}  // namespace

std::vector<std::string> fitted(const std::vector<std::string>& lines, std::size_t columns, std::size_t rows) {
  std::vector<std::string> fit;
  bool all = lines.size() <= rows;
  std::size_t count = all ? lines.size() : rows ? rows - 1 : 0;
  for (std::size_t i = 0; i < count; ++i) fit.push_back(lines[i].substr(0, columns));
  if (!all && rows) fit.push_back(("... " + std::to_string(lines.size() - count) + " more lines").substr(0, columns));
  return fit;
}

Screen::Screen() {
  sigset_t set = handled();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  keys_ = isatty(0) && tcgetattr(0, &before_) == 0;
  take();
}

Screen::~Screen() {
  give_back();
  if (signals_ >= 0) close(signals_);
  sigset_t set = handled();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Screen::take() {
  if (keys_) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(0, TCSANOW, &raw);
  }
  put(enter);
}

void Screen::give_back() {
  put(leave);
  if (keys_) tcsetattr(0, TCSANOW, &before_);
}

// Ctrl-Z: the shell gets its terminal, and we get it back when we go on.
void Screen::stop() {
  give_back();
  raise(SIGSTOP);
  take();
}

void Screen::show(const std::vector<std::string>& lines) {
  winsize size{};
  if (ioctl(1, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row) size.ws_col = 80, size.ws_row = 24;
  std::string text = "\x1b[H";
  bool first = true;
  for (const std::string& line : fitted(lines, size.ws_col, size.ws_row)) {
    text += (first ? "" : "\r\n") + line + "\x1b[K";
    first = false;
  }
  put(text + "\x1b[J");
}

Screen::Event Screen::wait(int most_ms, int* ended_by) {
  std::int64_t end = now_ms() + most_ms;
  *ended_by = 0;
  for (;;) {
    std::int64_t left = end - now_ms();
    if (left <= 0) return Event::time_is_up;
    pollfd fds[] = {{signals_, POLLIN, 0}, {keys_ ? 0 : -1, POLLIN, 0}};
    if (poll(fds, 2, static_cast<int>(left)) <= 0) continue;
    signalfd_siginfo info;
    if (fds[0].revents && read(signals_, &info, sizeof info) == sizeof info) {
      int sig = static_cast<int>(info.ssi_signo);
      if (sig == SIGTSTP) stop();
      if (sig == SIGTSTP || sig == SIGWINCH) return Event::resized;
      *ended_by = sig;
      return Event::quit;
    }
    char key;
    if (!fds[1].revents) continue;
    if (read(0, &key, 1) <= 0 || key == 'q' || key == 'Q' || key == 3 || key == 4) return Event::quit;
  }
}

}  // namespace weir::cli
