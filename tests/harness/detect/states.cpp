// Builds states of a job by hand: what a rank has, and the operations that it enqueues.
#include "tests/harness/detect/states.h"

#include <algorithm>
#include <functional>

namespace gridlock::detect::states {

using record::CommunicatorState;

Rank::Rank(int rank, int world) {
  box.rank = rank;
  box.world_size = world;
  box.pid = 100 + rank;
  box.backend = "sim";
  add_thread();
  add_stream();
  join("world", rank, world);
  box.modules.push_back({.begin = 0x400000 + 0x1000000ULL * static_cast<unsigned>(rank),
                         .end = 0x500000 + 0x1000000ULL * static_cast<unsigned>(rank),
                         .bias = 0x1000000ULL * static_cast<unsigned>(rank),
                         .path = "/opt/train"});
}

Rank& Rank::on(std::uint32_t stream) {
  stream_ = stream;
  return *this;
}

Rank& Rank::in(const std::string& name) {
  const auto found = std::find_if(box.communicators.begin(), box.communicators.end(),
                                  [&](const auto& one) { return one.name == name; });
  communicator_ = static_cast<std::uint32_t>(found - box.communicators.begin());
  return *this;
}

Rank& Rank::thread(std::uint32_t index) {
  thread_ = index;
  return *this;
}

Rank& Rank::count(std::uint64_t elements) {
  count_ = elements;
  return *this;
}

Rank& Rank::type(std::uint8_t datatype) {
  datatype_ = datatype;
  return *this;
}

Rank& Rank::reduction(std::uint8_t operation) {
  reduction_ = operation;
  return *this;
}

std::uint32_t Rank::add_stream(bool non_blocking, bool legacy, std::uint32_t device) {
  box.streams.push_back({.handle = box.streams.size() + 1,
                         .device = device,
                         .legacy = legacy,
                         .non_blocking = non_blocking});
  held_.push_back(false);
  return static_cast<std::uint32_t>(box.streams.size() - 1);
}

std::uint32_t Rank::add_thread() {
  record::Thread thread;
  thread.tid = box.pid + static_cast<std::int64_t>(box.threads.size());
  thread.epoch = 2;
  thread.state = 'R';
  box.threads.push_back(thread);
  return static_cast<std::uint32_t>(box.threads.size() - 1);
}

Rank& Rank::join(const std::string& name, int own, int size, CommunicatorState state) {
  record::Communicator made;
  made.id = std::hash<std::string>()(name) | 1U;
  made.name = name;
  made.size = size;
  made.rank = own;
  made.state = state;
  made.last_call = Call::comm_init;
  made.calls = 1;
  box.communicators.push_back(made);
  communicator_ = static_cast<std::uint32_t>(box.communicators.size() - 1);
  if (name != "world") communicator_ = 0;
  return *this;
}

Rank& Rank::leave_world() {
  box.communicators.erase(box.communicators.begin());
  return *this;
}

record::Communicator& Rank::communicator() { return box.communicators[communicator_]; }

record::Operation& Rank::add(Call call, const std::string& label) {
  record::Stream& stream = box.streams[stream_];
  const bool joins = grouped_ && std::find(group_streams_.begin(), group_streams_.end(), stream_) !=
                                     group_streams_.end();
  if (!joins) {
    ++stream.enqueued;
    group_streams_.push_back(stream_);
  }
  // The calls of a group are launched together.
  const bool goes_on = grouped_ && group_launch_ != 0;
  if (!goes_on) ++launches_;
  group_launch_ = grouped_ ? launches_ : 0;
  record::Operation operation;
  operation.index = box.operations.size();
  operation.time_ns = time_ += 10;
  operation.call = call;
  operation.datatype = datatype_;
  operation.reduction = reduction_;
  operation.stream = stream_;
  operation.thread = thread_;
  operation.count = count_;
  operation.position = stream.enqueued;
  operation.called = launches_ - 1;
  operation.launched = launches_;
  operation.label = record::Label(label);
  // The caller is the same code on all ranks, at different addresses.
  operation.callers[0] = 0x400100 + 0x1000000ULL * static_cast<unsigned>(box.rank) +
                         16 * static_cast<std::uint64_t>(call);
  box.operations.push_back(operation);
  return box.operations.back();
}

void Rank::set_communicator(record::Operation& operation) {
  operation.communicator = communicator_;
  if (!grouped_) return;
  std::uint64_t& leader = group_leaders_[communicator_];
  operation.leader = leader;
  if (leader == 0) leader = operation.index + 1;
}

Rank& Rank::collective(Call call, const std::string& label, int root) {
  record::Operation& operation = add(call, label);
  set_communicator(operation);
  operation.peer = root;
  operation.slot = communicator().next_slot++;
  return *this;
}

Rank& Rank::send(int peer, const std::string& label) {
  std::uint64_t number = 0;
  for (const record::Operation& one : box.operations) {
    number += one.call == Call::send && one.peer == peer && one.communicator == communicator_;
  }
  record::Operation& operation = add(Call::send, label);
  set_communicator(operation);
  operation.peer = peer;
  operation.slot = number;
  return *this;
}

Rank& Rank::recv(int peer, const std::string& label) {
  std::uint64_t number = 0;
  for (const record::Operation& one : box.operations) {
    number += one.call == Call::recv && one.peer == peer && one.communicator == communicator_;
  }
  record::Operation& operation = add(Call::recv, label);
  set_communicator(operation);
  operation.peer = peer;
  operation.slot = number;
  return *this;
}

Rank& Rank::group_begin() {
  grouped_ = true;
  group_streams_.clear();
  group_leaders_.clear();
  group_launch_ = 0;
  return *this;
}

Rank& Rank::group_end() {
  grouped_ = false;
  group_launch_ = 0;
  return *this;
}

Event Rank::record_event() {
  return {.stream = stream_, .position = box.streams[stream_].enqueued};
}

Rank& Rank::wait_event(Event event) {
  record::Operation& operation = add(Call::event_wait, "");
  operation.event_stream = event.stream;
  operation.event_position = event.position;
  return *this;
}

Rank& Rank::legacy_work(std::uint32_t legacy_stream) {
  const std::uint32_t before = stream_;
  stream_ = legacy_stream;
  add(Call::legacy_work, "");
  stream_ = before;
  return *this;
}

Rank& Rank::host_function(const std::string& label) {
  add(Call::host_function, label);
  return *this;
}

Rank& Rank::graph_launch() {
  add(Call::graph_launch, "");
  return *this;
}

}  // namespace gridlock::detect::states
