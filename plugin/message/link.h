// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "message/frame.h"
#include "message/message.h"
#include "message/slots.h"
#include "message/stream.h"
#include "message/watch.h"
#include "sys/lock.h"

namespace weir::message {

// A message to be sent, from when it was registered, or asked for by the peer, until its last byte has left.
struct Outgoing {
  Message* message;            // nullptr: not registered yet, or the program has its result already
  std::uint64_t moved;         // bytes in parcels
  std::uint64_t window;        // bytes the peer asked for
  std::uint64_t next_in_line;
  ssize_t early_end;           // < 0: the result it shall get when no parcel has its memory any more
  int abort_error;             // > 0: what is left to be said of it
  int parcels;
  bool granted, final, last_built, ended, in_line;
};

// A message to be received, from when it was registered, or came unasked, until its end has come.
struct Incoming {
  Message* message;            // nullptr: not registered yet, or not wanted any more
  std::uint64_t moved;
  std::uint64_t window;        // bytes we asked for
  std::uint64_t credit;        // to be asked for
  std::uint64_t next_in_line;
  char* kept;                  // came before it was registered
  int kept_error;
  int refuse_error;            // > 0: to be said
  bool final, refused, begun, kept_whole, ended, in_line;
};

// One end of a connection. Everything is done under its lock, with calls that do not block: registering by the
// program's threads, moving bytes by the driver's thread when a watch says that the socket is ready. Continuations run
// when the lock is free again.
//
//   up --fail(why)--> broken (all transfers over) --close()--> lingering until the peer has heard --> gone
class Link {
 public:
  static Link* make(int fd, std::int64_t silence_ns);
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  // 0, or -errno; then nothing is registered.
  int send(Message& message);
  int receive(Message& message);
  void cancel(bool outgoing, std::uint64_t sequence);
  int start();
  void close();

  // Called by the message's task.
  int filled(Stream& stream);
  int emptied(Stream& stream);
  bool wait_here(Stream& stream, weir_waiter* waiter);  // false: no need to
  void task_over(Message& message, int result);

  // A fork's child: the lock may be held by a thread that is not there.
  void after_fork();
  Link* next_link = nullptr;

 private:
  // A frame on its way out.
  struct Parcel {
    unsigned char header[header_bytes];
    const char* payload;
    std::uint32_t bytes;
    bool data, last;
    std::uint64_t sequence;
  };
  static constexpr int most_parcels = 16;
  static constexpr std::size_t staging_bytes = 8192;

  // The lock; what it releases last are the continuations of what is over, and who closes the link. From when it has
  // released that one there may be no link.
  class Turn {
   public:
    explicit Turn(Link& link) : link_(link) { link_.lock_.lock(); }
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Link& link_;
  };

  explicit Link(int fd, std::int64_t silence_ns);
  ~Link();

  void over(Message* message, ssize_t result);
  void fail(int error, bool lingers = false);
  void something_to_say();
  void expect(Message& message, std::uint64_t sequence);  // one transfer more
  void hand_back(Message* message, ssize_t result);        // by its task, if one has it

  // link_out.cpp
  void pump_out();
  bool load(Parcel& parcel);
  bool load_notice(Parcel& parcel);
  bool load_data(Parcel& parcel, std::uint64_t sequence);
  std::int64_t sendable(const Outgoing& out, std::uint64_t sequence, const char** from, bool* last) const;
  void parcel_left(Parcel& parcel);
  void consider(std::uint64_t sequence);
  void end_early(std::uint64_t sequence, ssize_t result);
  bool granted(const Frame& frame);
  bool credited(const Frame& frame);
  bool refused(const Frame& frame);

  // link_in.cpp
  void pump_in();
  bool take_staged();
  bool accept(const Frame& frame);
  bool accept_data(const Frame& frame);
  bool accept_abort(const Frame& frame);
  Incoming* slot_for(std::uint64_t sequence, bool whole);
  std::uint64_t sink(char** to);
  void arrived(std::uint64_t bytes);
  void frame_ended();
  void deliver_kept(std::uint64_t sequence);
  void refuse(std::uint64_t sequence, int error);
  bool in_the_middle();

  // link_life.cpp
  static void readable(Link& link);
  static void writable(Link& link);
  static void tick(Link& link);
  void arm_tick();
  bool still_draining();
  void settle();
  void wait_for_end_of(bool (*going_on)(Link&));

  sys::Lock lock_;
  std::atomic<int> references_{1};
  int fd_;
  std::int64_t silence_ns_;
  int error_ = 0;                 // < 0: why it is broken
  bool lingering_ = false;        // closed by us, not yet by the peer
  bool closing_ = false;
  bool pumping_ = false;          // this turn ends with pump_out()
  bool foreign_ = false;          // the parent's
  std::int64_t pending_ = 0;      // transfers that are not over
  Message* over_first_ = nullptr; // for the end of this turn
  Message* over_last_ = nullptr;
  weir_waiter* closer_ = nullptr;
  weir_waiter* closer_told_ = nullptr;  // at the end of this turn
  bool (*closer_waits_)(Link&) = nullptr;
  Watch in_, out_, clock_;
  std::int64_t heard_ns_ = 0;     // when something moved last
  std::int64_t closed_ns_ = 0;
  std::int64_t written_ = 0;      // to the socket, so far
  std::int64_t delivered_ = 0;    // of that, no longer in its buffer, at the last tick (before a ping: at that one)
  std::int64_t pinged_ns_ = 0;    // when the peer was asked whether it is there; 0: not

  Slots<Outgoing> outgoing_;
  Line<Outgoing> line_out_;       // what may go
  std::uint64_t sends_ = 0;       // registered
  std::uint64_t grants_ = 0;      // heard
  Parcel parcels_[most_parcels];
  int parcel_count_ = 0;
  std::uint32_t parcel_moved_ = 0;  // of the first

  Slots<Incoming> incoming_;
  Line<Incoming> line_in_;        // what has credit or a refusal to be said
  std::uint64_t receives_ = 0;    // registered
  std::uint64_t asked_ = 0;       // grants said
  Frame frame_{};                 // whose payload comes
  std::uint32_t payload_left_ = 0;
  std::size_t staged_ = 0;
  bool hello_heard_ = false, hello_said_ = false, ping_due_ = false, pong_due_ = false;
  unsigned char staging_[staging_bytes];
};

// A transfer is under way, or its continuation still runs.
bool busy();

// In the child.
void after_fork();
void transfers_after_fork();

}  // namespace weir::message
