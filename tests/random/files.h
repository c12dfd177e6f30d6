// SPDX-License-Identifier: Apache-2.0
// Leaves of a random program that have a file of their own, or share one: numbers, streams, folders, maps,
// locks.
#pragma once

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "world.h"

// A file that nobody else has, without a name.
inline int own_file(Key key) {
  int fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  check(fd >= 0, "a file of its own", key);
  return fd;
}

inline Value hash_of_file(int fd) {
  char block[4096];
  Value all = 0;
  off_t at = 0;
  for (ssize_t got; (got = pread(fd, block, sizeof block, at)) > 0; at += got)
    all = mix(all) + hash_of(block, got);
  return all + at;
}

// By number, at the offset and beside it; what is behind it is set to nothing.
inline Value written_and_read(Key key) {
  int fd = own_file(key);
  Value words[64];
  for (int i = 0; i < 64; ++i) words[i] = mix(key.bits + i);
  check(write(fd, words, 256) == 256 && pwrite(fd, words + 32, 256, 256) == 256, "write", key);
  check(lseek(fd, 0, SEEK_CUR) == 256, "the offset behind a pwrite", key);
  iovec parts[] = {{words, 100}, {words + 20, 28}};
  check(pwritev(fd, parts, 2, 1000) == 128 && writev(fd, parts, 2) == 128, "writev", key);
  if (key.pick(2, 1))
    check(!fdatasync(fd), "fdatasync", key);
  else
    check(!fsync(fd), "fsync", key);
  Value all = hash_of_file(fd);
  check(!ftruncate(fd, 300) && lseek(fd, 0, SEEK_END) == 300, "ftruncate", key);
  char byte;
  check(read(fd, &byte, 1) == 0 && pread(fd, &byte, 1, 299) == 1, "the end of a file", key);
  close(fd);
  return all + byte;
}

// Each write goes to the end, whatever the offset.
inline Value at_the_end(Key key) {
  int fd = own_file(key);
  check(!fcntl(fd, F_SETFL, O_APPEND), "O_APPEND", key);
  char text[40];
  memset(text, 'a' + key.pick(26, 1), sizeof text);
  for (int i = 0; i < 3; ++i) {
    check(write(fd, text, 10 + i) == 10 + i, "an append", key);
    check(lseek(fd, 0, SEEK_SET) == 0, "lseek", key);
    check(pwrite(fd, text, 5, 0) == 5, "a pwrite that appends", key);
  }
  check(lseek(fd, 0, SEEK_END) == 48, "what was appended", key);
  Value all = hash_of_file(fd);
  close(fd);
  return all;
}

// Several numbers for one offset, and a number that becomes another file's.
inline Value renumbered(Key key) {
  int one = open(world.name, O_RDONLY | O_CLOEXEC);
  int two = fcntl(one, F_DUPFD_CLOEXEC, 200 + key.pick(50, 1));
  check(one >= 0 && two >= 200, "dup", key);
  char a[64], b[64];
  off_t at = key.pick(100, 2) * 64;
  lseek(one, at, SEEK_SET);
  check(read(one, a, 64) == 64 && read(two, b, 64) == 64, "reads of one offset", key);
  Value all = hash_of(a, 64) + mix(hash_of(b, 64));
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  check(dup3(ends[0], one, O_CLOEXEC) == one, "dup3", key);
  close(ends[0]);
  feeder->write_later(ends[1], 5, key.bits, key.pick(100, 3));
  check(read(one, a, 5) == 5, "a pipe where a file was", key);
  check(dup3(two, one, O_CLOEXEC) == one && read(one, b, 64) == 64, "a file where a pipe was", key);
  close(ends[1]);
  close(one);
  close(two);
  return all + hash_of(a, 5) + hash_of(b, 64);
}

inline Value mapped_file(Key key) {
  int fd = own_file(key);
  check(!ftruncate(fd, 8192), "ftruncate", key);
  void* place = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  check(place != MAP_FAILED, "mmap", key);
  Value* words = static_cast<Value*>(place);
  for (int i = 0; i < 1024; ++i) words[i] = mix(key.bits + i);
  Value got[4];
  check(pread(fd, got, sizeof got, 4096) == sizeof got && got[0] == words[512], "what a map wrote", key);
  Value more = key.bits;
  check(pwrite(fd, &more, 8, 80) == 8 && words[10] == key.bits, "what a map sees", key);
  // Into a map, from a map.
  check(pread(world.data, words, 4096, 0) == 4096 && write(fd, words, 4096) == 4096, "a map as a buffer",
        key);
  if (key.pick(2, 1)) msync(place, 8192, MS_SYNC);
  Value all = hash_of(words, 8192);
  munmap(place, 8192);
  close(fd);
  return all;
}

inline Value folder(Key key) {
  char name[] = "/var/tmp/weir-folder-XXXXXX";
  check(mkdtemp(name) != nullptr, "mkdtemp", key);
  int where = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 1 + key.pick(5, 1);
  for (int i = 0; i < count; ++i) {
    char file[8] = {'f', static_cast<char>('0' + i)};
    int fd = openat(where, file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0 && write(fd, file, i) == i, "a new file", key);
    close(fd);
  }
  check(openat(where, "f0", O_CREAT | O_EXCL | O_WRONLY, 0600) == -1 && get_errno() == EEXIST,
        "a file that is there", key);
  check(open("/var/tmp/weir/is/nowhere", O_RDONLY) == -1 && get_errno() == ENOENT, "a file that is not there",
        key);
  DIR* entries = opendir(name);
  Value all = 0;
  set_errno(0);
  while (dirent* entry = readdir(entries)) {
    struct stat s;
    if (entry->d_name[0] == '.') continue;
    check(!fstatat(where, entry->d_name, &s, 0), "fstatat", key);
    all += mix(hash_of(entry->d_name, 2) + s.st_size);
  }
  check(get_errno() == 0, "errno at a folder's end", key);
  closedir(entries);
  for (int i = 0; i < count; ++i) {
    char file[8] = {'f', static_cast<char>('0' + i)};
    check(!unlinkat(where, file, 0), "unlinkat", key);
  }
  close(where);
  check(!rmdir(name) && access(name, F_OK) == -1, "rmdir", key);
  return all;
}

inline Value moved_in_the_kernel(Key key) {
  int fd = own_file(key), ends[2];
  off_t from = key.pick(100, 1) * block_bytes, to = 0;
  check(copy_file_range(world.data, &from, fd, &to, 2000, 0) == 2000, "copy_file_range", key);
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  loff_t at = 500;
  check(splice(fd, &at, ends[1], nullptr, 1000, 0) == 1000, "splice", key);
  char room[1000];
  check(read(ends[0], room, 400) == 400 && splice(ends[0], nullptr, fd, &to, 600, 0) == 600, "splice back",
        key);
  Value all = hash_of(room, 400) + hash_of_file(fd);
  for (int end : {ends[0], ends[1], fd}) close(end);
  return all;
}

// A stream of its own, written and read, in each way of buffering.
inline Value own_stream(Key key) {
  FILE* own = fdopen(own_file(key), "w+");
  char room[512];
  switch (key.pick(4, 1)) {
    case 0:
      setvbuf(own, nullptr, _IONBF, 0);
      break;
    case 1:
      setvbuf(own, room, _IOLBF, sizeof room);
      break;
    case 2:
      setvbuf(own, room, _IOFBF, 64);
      break;
    default:
      break;
  }
  long want = key.pick(1000, 2);
  check(fprintf(own, "%ld %s\nsecond line\n", want, "words") > 0 && fputs("third\n", own) >= 0, "fprintf",
        key);
  for (int i = 0; i < 200; ++i) putc('a' + i % 26, own);
  check(fwrite(&key.bits, 1, 8, own) == 8 && !fflush(own), "fwrite", key);
  long end = ftell(own);
  rewind(own);
  long got = -1;
  char word[16], *line = nullptr;
  size_t size = 0;
  check(fscanf(own, "%ld %15s", &got, word) == 2 && got == want && !strcmp(word, "words"), "fscanf", key);
  check(getc(own) == '\n' && ungetc('X', own) == 'X' && getc(own) == 'X', "ungetc", key);
  check(getline(&line, &size, own) == 12 && !strcmp(line, "second line\n"), "getline", key);
  check(getdelim(&line, &size, 'z', own) == 32, "getdelim", key);
  check(!fseek(own, -8, SEEK_END) && fread(room + 100, 1, 64, own) == 8, "fread at the end", key);
  Value all = 0;
  memcpy(&all, room + 100, 8);
  check(all == key.bits && feof(own) && ftell(own) == end, "the end of a stream", key);
  free(line);
  fclose(own);
  return all;
}

inline Value own_iostream(Key key) {
  char name[] = "/var/tmp/weir-stream-XXXXXX";
  close(mkstemp(name));
  std::fstream own(name, std::ios::in | std::ios::out | std::ios::trunc);
  for (int i = 0; i < 50; ++i) own << i * key.pick(50, 1) << ' ' << (i % 10 == 9 ? "\n" : "");
  own.flush();
  own.seekg(0);
  Value all = 0;
  long number;
  for (int i = 0; i < 50; ++i)
    check(static_cast<bool>(own >> number) && number == i * key.pick(50, 1), "a number in a stream", key);
  own.clear();
  own.seekg(0);
  std::string line;
  while (std::getline(own, line)) all = mix(all + line.size());
  check(own.eof() && !own.bad(), "the end of an fstream", key);
  unlink(name);
  return all;
}

inline Value asynchronous(Key key) {
  char room[2][block_bytes];
  aiocb requests[2] = {};
  for (int i = 0; i < 2; ++i) {
    requests[i].aio_fildes = world.data;
    requests[i].aio_buf = room[i];
    requests[i].aio_nbytes = block_bytes;
    requests[i].aio_offset = (key.pick(100, 1) + i) * block_bytes;
    requests[i].aio_sigevent.sigev_notify = SIGEV_NONE;
    check(!aio_read(&requests[i]), "aio_read", key);
  }
  for (aiocb& request : requests) {
    const aiocb* one = &request;
    while (aio_error(&request) == EINPROGRESS) aio_suspend(&one, 1, nullptr);
    check(aio_return(&request) == block_bytes, "aio_return", key);
  }
  return hash_of(room, sizeof room);
}

// Locks of a file, that another open file of the same has until the feeder lets go.
inline Value file_lock(Key key) {
  char name[] = "/var/tmp/weir-lock-XXXXXX";
  int one = mkostemp(name, O_CLOEXEC), two = open(name, O_RDWR | O_CLOEXEC), ends[2];
  unlink(name);
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  bool whole = key.pick(2, 1);
  struct flock range{};
  range.l_type = F_WRLCK;
  check(whole ? !flock(one, LOCK_EX) : !fcntl(one, F_OFD_SETLKW, &range), "a free lock", key);
  if (whole)
    check(flock(two, LOCK_EX | LOCK_NB) == -1 && get_errno() == EWOULDBLOCK, "a lock that another has", key);
  std::atomic<bool> given_back{false};
  feeder->call_later(
      [&] {
        given_back = true;
        close(one);
      },
      key.pick(300, 2));
  range.l_pid = 0;
  check(whole ? !flock(two, LOCK_EX) : !fcntl(two, F_OFD_SETLKW, &range), "a lock given back", key);
  check(given_back, "a lock before it was given back", key);
  for (int fd : {two, ends[0], ends[1]}) close(fd);
  return 23;
}

inline Value devices(Key key) {
  int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), null = open("/dev/null", O_RDWR | O_CLOEXEC);
  char room[300];
  memset(room, 1, sizeof room);
  check(read(zero, room, 300) == 300 && room[0] == 0 && room[299] == 0, "/dev/zero", key);
  check(write(null, room, 300) == 300 && read(null, room, 300) == 0, "/dev/null", key);
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC), status = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  check(write(full, room, 1) == -1 && get_errno() == ENOSPC, "/dev/full", key);
  check(read(status, room, sizeof room) > 20 && atoi(room) == getpid(), "/proc/self/stat", key);
  for (int fd : {zero, null, full, status}) close(fd);
  check(read(world.data, room, 0) == 0 && pread(world.data, room, 10, file_bytes) == 0, "nothing", key);
  check(pread(world.data, room, 300, file_bytes - 100) == 100, "what is left", key);
  return hash_of(room, 100);
}
