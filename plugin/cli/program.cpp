// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "lane/elf.h"

extern char** environ;

namespace weir::cli {
namespace {

// A file's bytes for as long as it lives.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      void* at = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (at != MAP_FAILED) bytes_ = static_cast<const char*>(at), size_ = status.st_size;
    }
    error_ = fd < 0 ? errno : 0;
    if (fd >= 0) close(fd);
  }
  ~Mapping() {
    if (bytes_) munmap(const_cast<char*>(bytes_), size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  const char* bytes() const { return bytes_; }
  std::size_t size() const { return size_; }
  int error() const { return error_; }

 private:
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
  int error_ = 0;
};

// As execvp searches: a name with a slash is a path, others are looked for in PATH, an empty part of which is the folder we are in, be it
// the last.
std::string find_in_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  if (command.empty()) return "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "/bin:/usr/bin") + ":");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + command;
    struct stat status;
    if (!access(candidate.c_str(), X_OK) && !stat(candidate.c_str(), &status) && S_ISREG(status.st_mode)) return candidate;
  }
  return "";
}

// The kernel's secure mode, in which the loader ignores LD_PRELOAD: the program gets rights that we don't have.
std::string raises_rights(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status)) return "";
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid()) return "is setuid: the loader ignores LD_PRELOAD for it";
  if ((status.st_mode & S_ISGID) && status.st_gid != getgid()) return "is setgid: the loader ignores LD_PRELOAD for it";
  char value[64];
  if (getuid() != 0 && getxattr(path.c_str(), "security.capability", value, sizeof value) > 0)
    return "has file capabilities: the loader ignores LD_PRELOAD for it";
  return "";
}

// "#!INTERPRETER ARGUMENT": the program that really runs. env(1) is looked through, as scripts use it to search PATH.
std::string interpreter_of(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (std::filesystem::path(word).filename() != "env") return word;
  std::string inner;
  while (words >> inner && (inner[0] == '-' || inner.find('=') != std::string::npos)) {}
  std::string found = inner.empty() ? "" : find_in_path(inner);
  return found.empty() ? word : found;
}

void read_binary(Program& program, const lane::Image& image) {
  image.each_name(DT_NEEDED, [&](const char* name) { program.needed.push_back(name); });
  if (const char* loader = image.interpreter()) program.loader = loader;
  if (!image.dynamic() || program.loader.empty()) {
    program.out_of_reach = program.binary + " is linked statically: nothing can be loaded into it";
    program.remedy = "Link it dynamically (without -static).";
  }
  std::string rights = raises_rights(program.binary);
  if (rights.empty()) return;
  program.out_of_reach = program.binary + " " + rights;
  program.remedy = "Run a copy of it that has no such rights, or run it as the user whose rights it takes.";
}

// Follows `file` to the ELF that runs; scripts may be run by scripts, the kernel gives up after some.
void follow(Program& program, const std::string& file, int depth) {
  program.binary = file;
  Mapping mapping(file);
  if (!mapping.bytes()) {
    if (mapping.error() == EACCES) program.out_of_reach = file + " can't be read, so nothing is known of it";
    else if (access(file.c_str(), F_OK)) program.trouble = file + ": " + std::strerror(errno);
    return;
  }
  lane::Image image = lane::Image::of_file(mapping.bytes(), mapping.size());
  if (image.valid()) return read_binary(program, image);
  if (image.foreign()) {
    program.out_of_reach = file + " is built for another machine";
  } else if (mapping.size() > 2 && !std::memcmp(mapping.bytes(), "#!", 2) && depth < 4) {
    const void* end = std::memchr(mapping.bytes(), '\n', mapping.size());
    std::size_t length = end ? static_cast<const char*>(end) - mapping.bytes() : mapping.size();
    std::string line(mapping.bytes() + 2, length - 2);
    if (program.script_line.empty()) program.script_line = line;
    follow(program, interpreter_of(line), depth + 1);
  } else {
    // What execvp does with an executable file that the kernel does not know.
    program.script_line = "/bin/sh";
    if (depth < 4) follow(program, "/bin/sh", 4);
  }
}

// Runs `arguments` and gives what it writes; "" when it fails.
std::string output_of(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t child;
  int error = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n; !error && ((n = read(ends[0], piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR));) {
    if (n > 0) text.append(piece, n);
  }
  close(ends[0]);
  int status = 0;
  if (error || waitpid(child, &status, 0) < 0 || status != 0) return "";
  return text;
}

}  // namespace

Program examine(const std::string& command) {
  Program program;
  program.path = find_in_path(command);
  if (program.path.empty()) {
    program.trouble = command + ": there is no such program in PATH";
    return program;
  }
  struct stat status;
  if (stat(program.path.c_str(), &status)) program.trouble = program.path + ": " + std::strerror(errno);
  else if (S_ISDIR(status.st_mode)) program.trouble = program.path + " is a directory";
  else if (access(program.path.c_str(), X_OK)) program.trouble = program.path + " may not be executed";
  else follow(program, program.path, 0);
  return program;
}

std::vector<std::string> objects_of(const Program& program) {
  std::vector<std::string> objects{program.binary};
  if (program.loader.empty()) return objects;
  // "\tlibm.so.6 => /lib/.../libm.so.6 (0x...)", "\t/lib64/ld-linux-x86-64.so.2 (0x...)"
  std::istringstream lines(output_of({program.loader, "--list", program.binary}));
  for (std::string line; std::getline(lines, line);) {
    std::size_t path = line.find('/'), end = line.rfind(" (0x");
    if (path != std::string::npos && end != std::string::npos && path < end)
      objects.push_back(line.substr(path, end - path));
  }
  return objects;
}

std::string find_object(const std::vector<std::string>& objects, const char* start) {
  for (const std::string& object : objects) {
    if (std::filesystem::path(object).filename().string().rfind(start, 0) == 0) return object;
  }
  return "";
}

}  // namespace weir::cli
