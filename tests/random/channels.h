// SPDX-License-Identifier: Apache-2.0
// Leaves of a random program that talk: to a thread of their own, over pipes, sockets, terminals; and waits
// for readiness.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include <cstring>
#include <memory>
#include <string>

#include "world.h"

inline void close_all(std::initializer_list<int> numbers) {
  for (int fd : numbers) close(fd);
}

// To and fro, with a thread that answers until it hears nothing more.
inline Value ping_pong(Key key) {
  int ends[2], rounds = 1 + key.pick(6, 1);
  check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair", key);
  std::thread other([&] {
    for (Value ball; read(ends[1], &ball, 8) == 8;) {
      ball = mix(ball);
      if (write(ends[1], &ball, 8) != 8) break;
    }
    shutdown(ends[1], SHUT_WR);
  });
  Value ball = key.bits, nothing;
  for (int i = 0; i < rounds; ++i) {
    Value was = ball;
    check(write(ends[0], &ball, 8) == 8 && read(ends[0], &ball, 8) == 8 && ball == mix(was), "ping pong",
          key);
  }
  shutdown(ends[0], SHUT_WR);
  check(read(ends[0], &nothing, 8) == 0, "the end of a talk", key);
  other.join();
  close_all({ends[0], ends[1]});
  return ball;
}

// Piece by piece: what is there is given, MSG_WAITALL waits for the whole.
inline Value in_pieces(Key key) {
  int ends[2];
  check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair", key);
  for (int i = 0; i < 5; ++i) feeder->write_later(ends[1], 20, key.bits + 20 * i, key.pick(60, i));
  char room[100];
  if (key.pick(2, 7)) {
    iovec parts[] = {{room, 30}, {room + 30, 70}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    check(recvmsg(ends[0], &message, MSG_WAITALL) == 100, "recvmsg of all", key);
  } else {
    for (int have = 0; have < 100;) {
      iovec part{room + have, static_cast<size_t>(100 - have)};
      ssize_t got = key.pick(2, 8) ? readv(ends[0], &part, 1)
                                   : recvfrom(ends[0], room + have, 100 - have, 0, nullptr, nullptr);
      check(got > 0 && got <= 100 - have, "a piece", key);
      have += static_cast<int>(got);
    }
  }
  for (int i = 0; i < 100; ++i) check(room[i] == static_cast<char>(key.bits + i), "pieces in order", key);
  char byte;
  check(recv(ends[0], &byte, 1, MSG_DONTWAIT) == -1 && get_errno() == EAGAIN, "no more pieces", key);
  close_all({ends[0], ends[1]});
  return hash_of(room, 100);
}

inline sockaddr_in loopback() {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

inline Value datagrams(Key key) {
  int one = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
      other = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in a = loopback(), b = loopback(), from{};
  socklen_t size = sizeof a;
  check(!bind(one, reinterpret_cast<sockaddr*>(&a), sizeof a) &&
            !bind(other, reinterpret_cast<sockaddr*>(&b), sizeof b),
        "bind", key);
  getsockname(one, reinterpret_cast<sockaddr*>(&a), &size);
  getsockname(other, reinterpret_cast<sockaddr*>(&b), &size);
  feeder->call_later(
      [&] { (void)!sendto(other, &key.bits, 8, 0, reinterpret_cast<sockaddr*>(&a), sizeof a); },
      key.pick(150, 1));
  Value got = 0;
  check(recvfrom(one, &got, 8, 0, reinterpret_cast<sockaddr*>(&from), &size) == 8 && got == key.bits,
        "recvfrom", key);
  check(from.sin_port == b.sin_port && size == sizeof from, "who sent it", key);
  check(sendto(one, &got, 8, 0, reinterpret_cast<sockaddr*>(&from), size) == 8, "sendto", key);
  char few[4];
  iovec part{few, 4};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  check(recvmsg(other, &message, 0) == 4 && message.msg_flags & MSG_TRUNC, "a datagram that is cut", key);
  close_all({one, other});
  return got;
}

// Of one piece, with room for a descriptor.
template <std::size_t bytes>
msghdr message_of(iovec& part, char (&room)[bytes]) {
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = bytes;
  return message;
}

// A descriptor in a message, and what comes through it.
inline Value handed_a_number(Key key) {
  int ends[2], through[2];
  check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) && !pipe2(through, O_CLOEXEC),
        "socketpair", key);
  char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr message = message_of(part, room);
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &through[0], sizeof(int));
  feeder->call_later(
      [&] {
        (void)!sendmsg(ends[1], &message, 0);
        (void)!write(through[1], &key.bits, 8);
      },
      key.pick(150, 1));
  char got_byte, got_room[sizeof room] = {};
  iovec got_part{&got_byte, 1};
  msghdr got = message_of(got_part, got_room);
  check(recvmsg(ends[0], &got, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&got), "a message with a number", key);
  int fd = -1;
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&got)), sizeof fd);
  Value value = 0;
  check(read(fd, &value, 8) == 8 && value == key.bits, "what comes through a number", key);
  close_all({fd, ends[0], ends[1], through[0], through[1]});
  return value;
}

// Who reads no more, who is not there, what has no room: errors, each with its errno.
inline Value refused(Key key) {
  int ends[2];
  char byte = 0, much[4096] = {};
  check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair", key);
  if (key.pick(2, 1)) {
    timeval limit{0, 300};
    setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    while (send(ends[1], much, sizeof much, MSG_DONTWAIT) > 0) {
    }
    check(again([&] { return send(ends[1], much, sizeof much, 0); }) == -1 && get_errno() == EAGAIN, "SO_SNDTIMEO", key);
  }
  feeder->call_later([&] { shutdown(ends[1], SHUT_RDWR); }, key.pick(100, 2));
  while (recv(ends[0], much, sizeof much, 0) > 0) {
  }
  check(recv(ends[0], &byte, 1, 0) == 0, "the end of a stream", key);
  close(ends[1]);
  check(send(ends[0], &byte, 1, MSG_NOSIGNAL) == -1 && get_errno() == EPIPE, "EPIPE", key);
  close(ends[0]);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
      one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a = loopback();
  socklen_t size = sizeof a;
  check(!bind(listener, reinterpret_cast<sockaddr*>(&a), sizeof a), "bind", key);
  getsockname(listener, reinterpret_cast<sockaddr*>(&a), &size);
  check(connect(one, reinterpret_cast<sockaddr*>(&a), sizeof a) == -1 && get_errno() == ECONNREFUSED,
        "ECONNREFUSED", key);
  timeval limit{0, 400};
  check(!listen(listener, 1) && !setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit),
        "listen", key);
  check(again([&] { return accept(listener, nullptr, nullptr); }) == -1 && get_errno() == EAGAIN, "accept with a limit", key);
  close_all({listener, one});
  return 29;
}

// Waits for several, in each way; and waits that end by their limit.
inline Value several(Key key) {
  int a[2], b = eventfd(0, EFD_CLOEXEC), c = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  check(!pipe2(a, O_CLOEXEC), "pipe2", key);
  pollfd all[] = {{a[0], POLLIN, 0}, {b, POLLIN, 0}, {c, POLLIN, 0}};
  timespec short_while{0, 300000};
  int first = key.pick(4, 1);
  if (first == 0) check(poll(all, 3, 1) == 0, "poll's limit", key);
  if (first == 1) check(ppoll(all, 3, &short_while, nullptr) == 0, "ppoll's limit", key);
  if (first == 2)
    check(select(0, nullptr, nullptr, nullptr, std::make_unique<timeval>(timeval{0, 300}).get()) == 0,
          "select's limit", key);
  int many = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{EPOLLIN | (key.pick(2, 5) ? EPOLLET : 0u), {}};
  for (const pollfd& p : all) {
    event.data.fd = p.fd;
    epoll_ctl(many, EPOLL_CTL_ADD, p.fd, &event);
  }
  if (first == 3) check(again([&] { return epoll_wait(many, &event, 1, 1); }) == 0, "epoll_wait's limit", key);
  int which = key.pick(3, 2), after = key.pick(200, 3);
  if (which == 0) feeder->write_later(a[1], 8, key.bits, after);
  if (which == 1) feeder->call_later([b] { eventfd_write(b, 5); }, after);
  itimerspec when{{0, 0}, {0, 50000 + after * 1000}};
  if (which == 2) timerfd_settime(c, 0, &when, nullptr);
  int ready = all[which].fd;
  switch (key.pick(3, 4)) {
    case 0:
      check(poll(all, 3, -1) == 1 && all[which].revents == POLLIN, "poll of several", key);
      break;
    case 1:
      check(ppoll(all, 3, nullptr, nullptr) == 1 && all[which].revents == POLLIN, "ppoll of several", key);
      break;
    default:
      check(again([&] { return epoll_wait(many, &event, 1, -1); }) == 1 && event.data.fd == ready, "epoll of several", key);
  }
  Value got = 0;
  check(read(ready, &got, 8) == 8, "what is ready", key);
  close_all({a[0], a[1], b, c, many});
  return which == 0 ? got : got + which;
}

// O_NONBLOCK: EAGAIN is what the program wants.
inline Value never_waits(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2", key);
  char byte;
  check(read(ends[0], &byte, 1) == -1 && get_errno() == EAGAIN, "an empty pipe", key);
  feeder->write_later(ends[1], 1, key.bits, key.pick(100, 1));
  while (read(ends[0], &byte, 1) != 1) {
    check(get_errno() == EAGAIN, "EAGAIN", key);
    pollfd one{ends[0], POLLIN, 0};
    poll(&one, 1, 1000);
  }
  if (key.pick(2, 2)) {
    // The same pipe waits from here on.
    fcntl(ends[0], F_SETFL, 0);
    feeder->write_later(ends[1], 1, key.bits + 1, key.pick(100, 3));
    check(read(ends[0], &byte, 1) == 1, "a pipe that waits again", key);
  }
  close_all({ends[0], ends[1]});
  return static_cast<unsigned char>(byte);
}

inline Value named_pipe(Key key) {
  char name[] = "/var/tmp/weir-fifo-XXXXXX";
  check(mkdtemp(name) != nullptr, "mkdtemp", key);
  std::string path = std::string(name) + "/p";
  check(!mkfifo(path.c_str(), 0600), "mkfifo", key);
  std::thread writer([&] {
    int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    usleep(key.pick(100, 1));
    (void)!write(fd, &key.bits, 8);
    close(fd);
  });
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  Value got = 0;
  check(fd >= 0 && read(fd, &got, 8) == 8 && got == key.bits && read(fd, &got, 1) == 0, "a named pipe", key);
  writer.join();
  close(fd);
  unlink(path.c_str());
  rmdir(name);
  return got;
}

inline Value watched_folder(Key key) {
  char name[] = "/var/tmp/weir-watch-XXXXXX";
  check(mkdtemp(name) != nullptr, "mkdtemp", key);
  std::string path = std::string(name) + "/made";
  int fd = inotify_init1(IN_CLOEXEC);
  if (fd < 0) return rmdir(name), 31;
  inotify_add_watch(fd, name, IN_CREATE);
  feeder->call_later([&] { close(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)); },
                     key.pick(200, 1));
  alignas(inotify_event) char room[512];
  check(read(fd, room, sizeof room) > 0, "inotify", key);
  check(!strcmp(reinterpret_cast<inotify_event*>(room)->name, "made"), "what was made", key);
  close(fd);
  while (access(path.c_str(), F_OK)) {
  }
  unlink(path.c_str());
  rmdir(name);
  return 31;
}

inline Value terminal(Key key) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[64];
  if (master < 0 || grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof name))
    return close(master), 37;
  int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  check(slave >= 0, "a terminal", key);
  feeder->call_later([&] { (void)!write(master, "one line\n", 9); }, key.pick(150, 1));
  char line[64];
  check(read(slave, line, sizeof line) == 9 && !memcmp(line, "one line\n", 9), "a line of a terminal", key);
  close_all({slave, master});
  return 37;
}

// Many numbers at a time.
inline Value many_messages(Key key) {
  int ends[2], count = 1 + key.pick(4, 1);
  check(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), "socketpair", key);
  Value out[4], in[4] = {};
  iovec parts[4], got[4];
  mmsghdr messages[4] = {}, received[4] = {};
  for (int i = 0; i < 4; ++i) {
    out[i] = key.bits + i;
    parts[i] = {&out[i], 8};
    got[i] = {&in[i], 8};
    messages[i].msg_hdr.msg_iov = &parts[i];
    received[i].msg_hdr.msg_iov = &got[i];
    messages[i].msg_hdr.msg_iovlen = received[i].msg_hdr.msg_iovlen = 1;
  }
  std::thread sender([&] {  // which writes the lengths of what it sent
    usleep(key.pick(150, 2));
    sendmmsg(ends[1], messages, count, 0);
  });
  for (int have = 0; have < count;) {
    int more = recvmmsg(ends[0], received + have, count - have, MSG_WAITFORONE, nullptr);
    check(more > 0, "recvmmsg", key);
    have += more;
  }
  for (int i = 0; i < count; ++i)
    check(in[i] == out[i] && received[i].msg_len == 8, "messages in order", key);
  sender.join();
  close_all({ends[0], ends[1]});
  return count;
}
