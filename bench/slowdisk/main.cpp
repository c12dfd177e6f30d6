// SPDX-License-Identifier: Apache-2.0
// A disk as slow as one wants: a FUSE file system of one file, `data`, whose reads take what the model says, and of one
// that tells and changes the model, `control`. What `data` holds is what FILE holds. Ends when it is unmounted.
#define FUSE_USE_VERSION 312
#include <fuse.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "model.h"

namespace {

int backing = -1;
slowdisk::Device device{{}};

std::string told() {
  slowdisk::Behaviour b = device.behaviour();
  char line[160];
  std::snprintf(line, sizeof line, "latency_us=%g channels=%d open_us=%g ask_us=%g keeps=%d thrash=%g served=%lld\n",
                b.latency_us, b.channels, b.open_us, b.ask_us, b.keeps, b.thrash, static_cast<long long>(device.served()));
  return line;
}

bool is_data(const char* path) { return !std::strcmp(path, "/data"); }
bool is_control(const char* path) { return !std::strcmp(path, "/control"); }

int get_attributes(const char* path, struct stat* about, fuse_file_info*) {
  *about = {};
  if (!std::strcmp(path, "/")) {
    about->st_mode = S_IFDIR | 0755, about->st_nlink = 2;
    return 0;
  }
  if (is_control(path)) {
    about->st_mode = S_IFREG | 0644, about->st_nlink = 1, about->st_size = 4096;
    return 0;
  }
  if (!is_data(path)) return -ENOENT;
  device.ask();
  if (fstat(backing, about)) return -errno;
  about->st_mode = S_IFREG | 0444;
  return 0;
}

int list(const char*, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info*, fuse_readdir_flags) {
  for (const char* name : {".", "..", "data", "control"}) fill(buffer, name, nullptr, 0, fuse_fill_dir_flags{});
  return 0;
}

int open_file(const char* path, fuse_file_info* file) {
  if (!is_data(path) && !is_control(path)) return -ENOENT;
  bool keeps = is_data(path) && device.behaviour().keeps;
  file->direct_io = !keeps;  // every read comes here
  file->keep_cache = keeps;
  if (is_data(path)) device.open();
  return 0;
}

int read_file(const char* path, char* buffer, std::size_t size, off_t offset, fuse_file_info*) {
  if (is_control(path)) {
    std::string text = told();
    if (offset >= static_cast<off_t>(text.size())) return 0;
    return static_cast<int>(text.copy(buffer, size, static_cast<std::size_t>(offset)));
  }
  device.serve();
  ssize_t got = pread(backing, buffer, size, offset);
  return got < 0 ? -errno : static_cast<int>(got);
}

int write_file(const char* path, const char* buffer, std::size_t size, off_t, fuse_file_info*) {
  if (!is_control(path)) return -EACCES;
  slowdisk::Behaviour next = device.behaviour();
  if (!next.read(std::string(buffer, size))) return -EINVAL;
  device.become(next);
  return static_cast<int>(size);
}

int truncate_file(const char* path, off_t, fuse_file_info*) { return is_control(path) ? 0 : -EACCES; }

void* begin(fuse_conn_info* connection, fuse_config* config) {
  config->kernel_cache = 0;
  if (device.behaviour().ask_us > 0) config->attr_timeout = config->entry_timeout = 0;
  connection->max_background = 1024;  // operations that io_uring's workers have under way at once
  connection->congestion_threshold = 1024;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "slow_disk FILE FOLDER 'latency_us=2000 channels=24 open_us=0 ask_us=0 keeps=0 thrash=0'\n"
                         "Mounts on FOLDER a disk whose file `data` is FILE, slowly. `fusermount3 -u FOLDER` ends it.\n");
    return 2;
  }
  slowdisk::Behaviour behaviour;
  if (!behaviour.read(argv[3])) {
    std::fprintf(stderr, "slow_disk: no such behaviour: %s\n", argv[3]);
    return 2;
  }
  device.become(behaviour);
  backing = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (backing < 0) {
    std::perror(argv[1]);
    return 1;
  }
  fuse_operations operations{};
  operations.getattr = get_attributes;
  operations.readdir = list;
  operations.open = open_file;
  operations.read = read_file;
  operations.write = write_file;
  operations.truncate = truncate_file;
  operations.init = begin;
  // In the foreground; as many threads as operations that anybody may want served at once.
  const char* arguments[] = {argv[0], "-f", "-o", "max_threads=600,max_idle_threads=600,fsname=slowdisk", argv[2]};
  return fuse_main(5, const_cast<char**>(arguments), &operations, nullptr);
}
