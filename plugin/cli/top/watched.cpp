// SPDX-License-Identifier: Apache-2.0
#include "cli/top/watched.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/top/texts.h"

namespace weir::cli {
namespace {

using meter::Page;

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

std::string content(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The words of /proc/PID/stat behind the command's name, which may hold anything: the state is the first.
std::vector<std::string> stat_of(pid_t process) {
  std::string text = content(folder_of(process) + "/stat");
  std::size_t end = text.rfind(')');
  std::istringstream words(end == std::string::npos ? "" : text.substr(end + 1));
  return {std::istream_iterator<std::string>(words), {}};
}

std::string start_time(pid_t process) {
  std::vector<std::string> words = stat_of(process);
  return words.size() > 19 && words[0] != "Z" && words[0] != "X" ? words[19] : "";
}

// Its number as it knows it itself: in a container another one.
std::string number_inside(pid_t process) {
  std::istringstream lines(content(folder_of(process) + "/status"));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("NSpid:", 0) == 0) return line.substr(line.find_last_of(" \t") + 1);
  return std::to_string(process);
}

// The file's page if all of it is as weir makes it, else why not. Sealed: nobody can shorten it while we read.
Page* map_page(int fd, pid_t process, std::string& trouble) {
  struct stat about;
  int seals = fcntl(fd, F_GET_SEALS);
  Page head;
  if (fstat(fd, &about) || !S_ISREG(about.st_mode) || seals < 0 || !(seals & F_SEAL_SHRINK)) {
    trouble = "is not a page of weir's";
  } else if (pread(fd, &head, offsetof(Page, asked), 0) < static_cast<ssize_t>(offsetof(Page, asked))) {
    trouble = "is cut short";
  } else if (!head.is_weirs()) {
    trouble = "is not a page of weir's";
  } else if (head.layout != Page::this_layout) {
    trouble = "is of another version of weir";
  } else if (head.bytes != sizeof(Page) || about.st_size < static_cast<off_t>(sizeof(Page))) {
    trouble = "is cut short";
  } else if (std::to_string(head.process) != number_inside(process)) {
    trouble = "is another process's";
  } else {
    void* memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) return static_cast<Page*>(memory);
    trouble = std::strerror(errno);
  }
  trouble = "what process " + std::to_string(process) + " shows can't be read: it " + trouble;
  return nullptr;
}

Page* find_page(const std::string& thread, pid_t process, std::string& trouble) {
  DIR* descriptors = opendir((thread + "/fd").c_str());
  if (!descriptors) return nullptr;
  std::string wanted = std::string("/memfd:") + Page::name + " (deleted)";
  Page* page = nullptr;
  for (dirent* entry; !page && (entry = readdir(descriptors));) {
    char target[64] = {};
    if (readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target - 1) < 0 || wanted != target) continue;
    int fd = openat(dirfd(descriptors), entry->d_name, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) continue;
    page = map_page(fd, process, trouble);
    close(fd);
  }
  closedir(descriptors);
  return page;
}

// It is open in the thread of its name.
Page* find_page(DIR* threads, const std::string& folder, pid_t process, std::string& trouble) {
  for (dirent* entry; (entry = readdir(threads));) {
    std::string thread = folder + "/" + entry->d_name;
    if (entry->d_name[0] == '.' || content(thread + "/comm") != std::string(Page::name) + "\n") continue;
    if (Page* page = find_page(thread, process, trouble)) return page;
  }
  return nullptr;
}

// Only its user and root may look into a process, and not even its user if it is protected.
bool may_look_into(const std::string& folder) {
  DIR* descriptors = opendir((folder + "/fd").c_str());
  if (descriptors) closedir(descriptors);
  return descriptors;
}

std::string why_no_page(pid_t process, const std::string& command) {
  std::string name = "process " + std::to_string(process) + " (" + command + ")";
  if (content(folder_of(process) + "/maps").find("libweir") == std::string::npos) return "weir is not in " + name;
  return "weir is in " + name + ", but none of its calls had to wait so far: there is nothing to show yet";
}

std::string not_ours(pid_t process) {
  return "process " + std::to_string(process) + " is another user's, or protected: only its user and root may look at it";
}

long futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* limit) {
  return syscall(SYS_futex, &word, what, value, limit, nullptr, 0);
}

}  // namespace

std::unique_ptr<Watched> Watched::open(pid_t process, std::string& trouble) {
  struct stat about;
  std::string folder = folder_of(process), started = start_time(process);
  if (stat(folder.c_str(), &about) || started.empty()) {
    trouble = "there is no process " + std::to_string(process);
    return nullptr;
  }
  bool ours = about.st_uid == geteuid() || !geteuid();
  DIR* threads = ours && may_look_into(folder) ? opendir((folder + "/task").c_str()) : nullptr;
  if (!threads) {
    trouble = not_ours(process);
    return nullptr;
  }
  std::string command = printable(content(folder + "/comm"));
  trouble.clear();
  Page* page = find_page(threads, folder + "/task", process, trouble);
  closedir(threads);
  if (!page) {
    if (trouble.empty()) trouble = why_no_page(process, command);
    return nullptr;
  }
  std::unique_ptr<Watched> watched(new Watched);
  watched->process_ = process;
  watched->command_ = command;
  watched->started_ = started;
  watched->page_ = page;
  return watched;
}

Watched::~Watched() {
  if (page_) munmap(page_, sizeof(Page));
}

bool Watched::alive() const { return start_time(process_) == started_; }

void Watched::ask() {
  question_ = page_->asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  futex(page_->asked, FUTEX_WAKE, INT_MAX, nullptr);
}

bool Watched::answer(meter::Shown& into, int within_ms) {
  timespec piece{0, 2'000'000};
  for (int waited = 0; waited <= within_ms; waited += 2) {
    std::uint32_t answered = page_->answered.load(std::memory_order_acquire);
    bool ready = static_cast<std::int32_t>(answered - question_) >= 0;
    if (ready && page_->read(into)) return true;
    if (ready) nanosleep(&piece, nullptr);
    else futex(page_->answered, FUTEX_WAIT, answered, &piece);
  }
  return false;
}

std::vector<pid_t> processes() {
  std::vector<pid_t> all;
  DIR* folder = opendir("/proc");
  if (!folder) return all;
  for (dirent* entry; (entry = readdir(folder));) {
    char* end;
    long number = std::strtol(entry->d_name, &end, 10);
    struct stat about;
    if (*end || number <= 0 || fstatat(dirfd(folder), entry->d_name, &about, 0)) continue;
    if (about.st_uid == geteuid() || !geteuid()) all.push_back(static_cast<pid_t>(number));
  }
  closedir(folder);
  return all;
}

}  // namespace weir::cli
