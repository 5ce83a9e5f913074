// Builds states of a job by hand, as a program's calls would have left them:
//
//   World world(4);
//   for (Rank& rank : world.ranks()) rank.all_reduce("gradients/bucket 0");
//   world[3].exit(0);
//
// Each rank has one thread, one device, one non-blocking stream and the communicator "world". A
// stream is at its first operation that is not done.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "harness/detect/judge.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect::states {

using record::Call;

struct Event {
  std::uint32_t stream = 0;
  std::uint64_t position = 0;
};

constexpr std::uint64_t kSmall = 1024;               // floats
constexpr std::uint64_t kLarge = 4UL * 1024 * 1024;  // floats: does not fit the buffers
constexpr std::uint8_t kFloat = 7;
constexpr std::uint8_t kInt32 = 2;

class Rank {
 public:
  Rank(int rank, int world);

  // What the following calls use.
  Rank& on(std::uint32_t stream);  // 0: the existing one
  Rank& in(const std::string& communicator);
  Rank& thread(std::uint32_t index);  // 0: the existing one
  Rank& count(std::uint64_t elements);
  Rank& type(std::uint8_t datatype);
  Rank& reduction(std::uint8_t operation);

  std::uint32_t add_stream(bool non_blocking = true, bool legacy = false, std::uint32_t device = 0);
  std::uint32_t add_thread();  // running
  // Joins `name`, as its rank `own` of `size`; ready unless said otherwise.
  Rank& join(const std::string& name, int own, int size,
             record::CommunicatorState state = record::CommunicatorState::ready);
  Rank& leave_world();  // as if it had never joined "world"

  // Operations.
  Rank& collective(Call call, const std::string& label, int root = -1);
  Rank& all_reduce(const std::string& label) { return collective(Call::all_reduce, label); }
  Rank& broadcast(const std::string& label, int root = 0) {
    return collective(Call::broadcast, label, root);
  }
  Rank& reduce(const std::string& label, int root = 0) {
    return collective(Call::reduce, label, root);
  }
  Rank& send(int peer, const std::string& label = "");
  Rank& recv(int peer, const std::string& label = "");
  Rank& group_begin();  // the following operations on one stream share a position
  Rank& group_end();
  Event record_event();
  Rank& wait_event(Event event);
  Rank& legacy_work(std::uint32_t legacy_stream);
  Rank& host_function(const std::string& label = "");
  Rank& graph_launch();

  // Calls of MPI, on the communicator "mpi". Each is in flight on its own; its number is returned.
  std::uint32_t mpi_start(Call call, const std::string& label, int peer = -1, int tag = 0);
  // The same, but the thread waits in it.
  Rank& mpi(Call call, const std::string& label, int peer = -1, int tag = 0);
  // The thread waits for calls that were started.
  Rank& mpi_wait(const std::vector<std::uint32_t>& all);
  Rank& mpi_wait_any(const std::vector<std::uint32_t>& any);
  Rank& mpi_done(std::uint32_t call);
  Rank& mpi_got(int peer, int tag = 0);  // by a receive from any source

  // Progress: the next `operations` of the current stream are complete; none after them has begun.
  Rank& done(std::uint64_t operations);
  Rank& all_done();
  Rank& not_started();
  Rank& polled();  // of the current stream

  // The call that the current thread is in.
  Rank& device_synchronize(std::uint32_t device = 0);
  Rank& call_on_device(Call call, std::uint32_t device = 0);
  Rank& stream_synchronize();
  // Asks again and again whether it has ended.
  Rank& polls_stream();
  Rank& polls_communicator();
  Rank& polls_request(std::uint32_t request);
  Rank& copy_on_legacy_stream();  // a pageable copy
  Rank& copy_on(std::uint32_t stream);
  Rank& connect();                     // lazily, for the operation called last
  Rank& announce_only();               // the call, or its group, has not returned
  Rank& nccl_will_launch();            // it has returned, on a nonblocking communicator
  Rank& communicator_call(Call call);  // init, split, destroy … on the current communicator
  Rank& returned();                    // from the call before, which was complete
  Rank& blocked_in(const std::string& syscall, char state = 'S');  // in host code
  Rank& thread_ended();

  Rank& exit(int code);
  Rank& killed(int signal);

  record::Snapshot box;

 private:
  record::Operation& add(Call call, const std::string& label);
  void set_communicator(record::Operation& operation);
  record::Communicator& communicator();
  record::Thread& current_thread() { return box.threads[thread_]; }
  Rank& wait(Call call, record::Waits waits);
  Rank& ask(record::Waits waits, std::uint32_t of, std::uint64_t position);

  std::uint32_t stream_ = 0;
  std::uint32_t communicator_ = 0;
  std::uint32_t thread_ = 0;
  std::uint64_t count_ = kSmall;
  std::uint8_t datatype_ = kFloat;
  std::uint8_t reduction_ = 0;
  bool grouped_ = false;
  std::vector<std::uint32_t> group_streams_;
  std::map<std::uint32_t, std::uint64_t> group_leaders_;  // by communicator: index + 1
  std::int64_t time_ = 1000;
  std::uint64_t launches_ = 0;
  std::uint64_t group_launch_ = 0;
  std::vector<bool> held_;  // streams that have not started
  friend class World;
  void settle();
};

class World {
 public:
  explicit World(int ranks);
  Rank& operator[](int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  std::deque<Rank>& ranks() { return ranks_; }
  int size() const { return static_cast<int>(ranks_.size()); }
  // Ranks `first` … `last`, both included.
  std::vector<Rank*> some(int first, int last);
  Parameters parameters{.buffer_bytes = kAssumedBuffer};

  std::vector<record::Snapshot> snapshots();
  // The verdict after two equal looks; a deadlock only if it is proven.
  Verdict verdict();
  Finding finding();
  Verdict stall();

 private:
  std::deque<Rank> ranks_;
};

// All ranks have also joined a communicator of MPI.
World with_mpi(int ranks);
// All ranks have joined two more communicators, "first" and "second".
World two_communicators(int ranks);
// Three ranks, of which 0 and 1 have joined "left", and 1 and 2 "right".
World neighbours();

}  // namespace gridlock::detect::states
