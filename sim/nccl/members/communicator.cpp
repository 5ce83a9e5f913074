// The order of units, stopping, and noticing that a member has died.
#include "sim/nccl/members/communicator.h"

#include <algorithm>
#include <functional>

#include "sim/cuda/interface/arena.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/members/process.h"

namespace sim::nccl {
namespace {

// Of device memory, for each rank of a communicator. NCCL takes megabytes, depending on its
// channels.
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

}  // namespace

ncclRedOp_t Communicator::next_operator() const {
  constexpr std::size_t kHandles = ncclMaxRedOp - ncclNumOps + std::size_t{1};
  constexpr std::size_t kStep = 1000003;  // a prime that does not divide it: no number comes twice
  const std::size_t first = std::hash<const void*>()(this) % kHandles;
  return static_cast<ncclRedOp_t>(ncclNumOps + (first + factors.size() * kStep) % kHandles);
}

Factor* Communicator::operator_of(ncclRedOp_t handle) {
  const auto found = std::find_if(factors.begin(), factors.end(), [&](const Factor& factor) {
    return factor.handle == handle && factor.alive;
  });
  return found == factors.end() ? nullptr : &*found;
}

Communicator::~Communicator() {
  if (has_buffers_) give_memory_back(device(), kBufferBytes);
  if (segment_ == nullptr) return;
  // Ranks of this process may still read the data of operations that completed early.
  std::vector<Staging> staging;
  for (auto& [peer, messages] : outgoing) {
    for (auto& entry : messages.entries) staging.push_back(std::move(entry.staging));
  }
  for (auto& entry : rooted.entries) staging.push_back(std::move(entry.staging));
  if (!staging.empty()) segment_->keep(std::move(staging));
}

bool Communicator::take_buffers() {
  has_buffers_ = take_memory(device(), kBufferBytes);
  return has_buffers_;
}

void Communicator::attach(std::shared_ptr<Segment> segment) {
  segment_ = std::move(segment);
  attached_.store(true);
}

ncclResult_t Communicator::state() const {
  const ncclResult_t state = state_.load();
  if (state != ncclSuccess || !attached() || revoked()) return state;
  return lost_.load() ? ncclRemoteError : state;
}

void Communicator::stop() {
  {
    const std::lock_guard lock(turn_mutex_);
    stopped_.store(true);
  }
  turn_changed_.notify_all();
  if (!attached()) return;
  ring(segment_->bell(rank()));
  segment_->ring_host();
}

void Communicator::abort() {
  {
    const std::lock_guard lock(children_mutex_);
    aborted_.store(true);
    for (const std::shared_ptr<Communicator>& child : children_) child->abort();
  }
  stop();
}

void Communicator::revoke() {
  revoked_.store(true);
  stop();
}

void Communicator::begin_child(const std::shared_ptr<Communicator>& child) {
  const std::lock_guard lock(children_mutex_);
  children_.push_back(child);
  if (aborted()) child->abort();
}

void Communicator::end_child(const std::shared_ptr<Communicator>& child,
                             const std::function<void()>& deliver) {
  const std::lock_guard lock(children_mutex_);
  std::erase(children_, child);
  if (!aborted()) deliver();
}

std::uint64_t Communicator::take_ticket() {
  const std::lock_guard lock(turn_mutex_);
  ++outstanding_;
  return next_ticket_++;
}

bool Communicator::begin(std::uint64_t ticket) {
  std::unique_lock lock(turn_mutex_);
  turn_changed_.wait(lock, [&] { return turn_ == ticket || stopped(); });
  return !stopped();
}

void Communicator::end(std::uint64_t ticket) {
  {
    const std::lock_guard lock(turn_mutex_);
    ended_.insert(ticket);
    while (ended_.erase(turn_) != 0) ++turn_;
    --outstanding_;
  }
  turn_changed_.notify_all();
}

void Communicator::enter_graph() {
  const std::lock_guard lock(turn_mutex_);
  ++outstanding_;
  ++in_graphs_;
}

void Communicator::leave_graph() {
  {
    const std::lock_guard lock(turn_mutex_);
    --outstanding_;
    --in_graphs_;
  }
  turn_changed_.notify_all();
}

void Communicator::wait_for_units() {
  std::unique_lock lock(turn_mutex_);
  turn_changed_.wait(lock, [&] { return outstanding_ == 0 || stopped(); });
}

void Communicator::wait_for_graphs() {
  std::unique_lock lock(turn_mutex_);
  turn_changed_.wait(lock, [&] { return in_graphs_ == 0; });
}

Milliseconds Communicator::patience() const {
  // Many ranks that wake up often would overload the machine. With more ranks, each looks less
  // often, so that together they look at the same rate.
  return Milliseconds(20 * std::max(1, ranks() / 16));
}

void Communicator::look_for_dead_members(std::span<const int> whom) {
  constexpr int kLooks = 8;
  Header& header = segment_->header();
  const int dead = static_cast<int>(header.dead.load()) - 1;
  if (dead >= 0 && (whom.empty() || std::ranges::count(whom, dead) > 0)) lost_.store(true);
  if (lost_.load()) return;
  const int count = whom.empty() ? ranks() - 1 : static_cast<int>(whom.size());
  for (int look = 0; look < std::min(kLooks, count); ++look) {
    const int step = next_look_.fetch_add(1) % count;
    const int other =
        whom.empty() ? (rank() + 1 + step) % ranks() : whom[static_cast<std::size_t>(step)];
    const Member& member = segment_->member(other);
    if (member.state.load() != MemberState::kPresent || member.closed.load() != 0) continue;
    if (alive({member.pid, member.start})) continue;
    if (member.closed.load() != 0) continue;  // it closed just before its process ended
    header.dead.store(static_cast<std::uint32_t>(other) + 1);
    lost_.store(true);
    fail(ncclRemoteError, "rank %d (pid %lld) of communicator '%s' is gone", other,
         static_cast<long long>(member.pid), name().c_str());
    segment_->ring_host();
    return;
  }
}

}  // namespace sim::nccl
