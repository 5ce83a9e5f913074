// Builds states of a job by hand: how far a rank has come and where it waits, and the job of all
// ranks.
#include <algorithm>

#include "harness/detect/stall.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {

using record::CommunicatorState;
using record::Waits;

Rank& Rank::done(std::uint64_t operations) {
  box.streams[stream_].completed += operations;
  return *this;
}

Rank& Rank::all_done() {
  for (record::Stream& stream : box.streams) stream.completed = stream.enqueued;
  return *this;
}

Rank& Rank::not_started() {
  held_[stream_] = true;
  return *this;
}

Rank& Rank::polled() {
  box.streams[stream_].polled = true;
  return *this;
}

Rank& Rank::wait(Call call, Waits waits) {
  record::Thread& thread = current_thread();
  ++thread.epoch;
  thread.call = call;
  thread.waits = waits;
  thread.since_ns = time_ += 10;
  thread.launches = launches_;
  thread.state = 'S';
  thread.callers[0] = 0x400800 + 0x1000000ULL * static_cast<unsigned>(box.rank) +
                      16 * static_cast<std::uint64_t>(call);
  return *this;
}

Rank& Rank::device_synchronize(std::uint32_t device) {
  return call_on_device(Call::device_synchronize, device);
}

Rank& Rank::call_on_device(Call call, std::uint32_t device) {
  wait(call, Waits::device);
  current_thread().device = device;
  return *this;
}

Rank& Rank::stream_synchronize() {
  wait(Call::stream_synchronize, Waits::stream);
  current_thread().stream = stream_;
  current_thread().position = box.streams[stream_].enqueued;
  return *this;
}

Rank& Rank::ask(Waits waits, std::uint32_t of, std::uint64_t position) {
  current_thread().asked = {.waits = waits, .of = of, .position = position, .at_ns = ++time_};
  return *this;
}

Rank& Rank::polls_stream() { return ask(Waits::stream, stream_, box.streams[stream_].enqueued); }

Rank& Rank::polls_communicator() { return ask(Waits::communicator_members, communicator_, 0); }

Rank& Rank::polls_request(std::uint32_t request) { return ask(Waits::all_requests, request, 1); }

Rank& Rank::copy_on_legacy_stream() { return wait(Call::memcpy_sync, Waits::legacy_stream); }

Rank& Rank::copy_on(std::uint32_t stream) {
  wait(Call::memcpy_sync, Waits::stream);
  current_thread().stream = stream;
  current_thread().position = box.streams[stream].enqueued;
  return *this;
}

Rank& Rank::connect() {
  announce_only();
  // NCCL did not refuse a call in which a rank is seen to wait.
  for (record::Operation& operation : box.operations) operation.open = false;
  const record::Operation& last = box.operations.back();
  wait(last.call, Waits::operation);
  current_thread().stream = last.stream;
  current_thread().communicator = last.communicator;
  return *this;
}

Rank& Rank::nccl_will_launch() {
  announce_only();
  record::Operation& operation = box.operations.back();
  operation.open = false;
  operation.deferred = true;
  if (record::is_collective(operation.call)) ++communicator().next_slot;
  return *this;
}

Rank& Rank::announce_only() {
  const std::uint64_t launch = box.operations.back().launched;
  for (record::Operation& operation : box.operations) {
    if (operation.launched != launch) continue;
    record::Stream& stream = box.streams[operation.stream];
    stream.enqueued = std::min(stream.enqueued, operation.position - 1);
    operation.launched = operation.position = 0;
    operation.open = record::is_communication(operation.call);
    if (record::is_collective(operation.call)) --communicator().next_slot;
  }
  --launches_;
  return *this;
}

Rank& Rank::communicator_call(Call call) {
  wait(call, Waits::communicator_members);
  current_thread().communicator = communicator_;
  record::Communicator& of = communicator();
  of.last_call = call;
  if (call == Call::comm_init) {
    of.state = CommunicatorState::initialising;
    of.calls = 1;
  } else {
    ++of.calls;
    if (call != Call::comm_split && call != Call::comm_shrink) {
      of.state = CommunicatorState::closing;
    }
  }
  return *this;
}

Rank& Rank::returned() {
  record::Thread& thread = current_thread();
  ++thread.epoch;
  thread.call = Call::none;
  thread.waits = Waits::nothing;
  return *this;
}

Rank& Rank::blocked_in(const std::string& syscall, char state) {
  current_thread().state = state;
  current_thread().syscall = syscall;
  return *this;
}

Rank& Rank::thread_ended() {
  current_thread().exists = false;
  return *this;
}

Rank& Rank::exit(int code) {
  box.process = record::ProcessState::exited;
  box.exit_code = code;
  for (record::Thread& thread : box.threads) thread.exists = false;
  return *this;
}

Rank& Rank::killed(int signal) {
  exit(signal);
  box.process = record::ProcessState::signaled;
  return *this;
}

void Rank::settle() {
  for (std::size_t index = 0; index < box.streams.size(); ++index) {
    record::Stream& stream = box.streams[index];
    stream.started =
        held_[index] ? stream.completed : std::min(stream.completed + 1, stream.enqueued);
  }
  box.recorded = box.operations.size();
}

World::World(int ranks) {
  for (int rank = 0; rank < ranks; ++rank) ranks_.emplace_back(rank, ranks);
}

std::vector<Rank*> World::some(int first, int last) {
  std::vector<Rank*> found;
  for (int rank = first; rank <= last; ++rank) found.push_back(&(*this)[rank]);
  return found;
}

World two_communicators(int ranks) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    rank.join("first", rank.box.rank, ranks).join("second", rank.box.rank, ranks);
  }
  return world;
}

World neighbours() {
  World world(3);
  world[0].join("left", 0, 2);
  world[1].join("left", 1, 2).join("right", 0, 2);
  world[2].join("right", 1, 2);
  return world;
}

std::vector<record::Snapshot> World::snapshots() {
  std::vector<record::Snapshot> shown;
  for (Rank& rank : ranks_) {
    rank.settle();
    shown.push_back(rank.box);
  }
  return shown;
}

Finding World::finding() {
  const std::vector<record::Snapshot> shown = snapshots();
  Judge judge(parameters);
  const Finding first = judge.look(shown);
  if (first.proven) return {};  // one look is never a proof, so no test may pass on one
  return judge.look(shown);
}

Verdict World::verdict() {
  const std::vector<record::Snapshot> shown = snapshots();
  Judge judge(parameters);
  judge.look(shown);
  return judge.look(shown).proven ? judge.verdict() : Verdict{};
}

Verdict World::stall() {
  const std::vector<record::Snapshot> shown = snapshots();
  Ledger ledger;
  ledger.add(shown);
  return explain_stall(shown, parameters, &ledger);
}

}  // namespace gridlock::detect::states
