// Runs a launch from its first block to its last in the caller's thread. Resident blocks take
// turns, warp by warp, so blocks may wait for each other.
#include <algorithm>
#include <atomic>

#include "sim/ptx/machine.h"
#include "sim/ptx/run/block.h"
#include "sim/ptx/run/pause.h"
#include "sim/ptx/run/positions.h"
#include "sim/ptx/run/warp_turn.h"

namespace sim::ptx {
namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostShared = 1 << 20;

std::atomic<std::uint64_t> launches{0};

}  // namespace

class Execution::Machine {
 public:
  Machine(const Program& program, const Memory& memory, const Launch& launch)
      : parameters_(launch.parameters.begin(), launch.parameters.end()) {
    if (launch.kernel == nullptr || !launch.kernel->entry) throw Refused("there is no such kernel");
    const Function& kernel = *launch.kernel;
    const auto refuse = [&](const std::string& why) { throw Refused(kernel.name + ": " + why); };
    const std::uint64_t threads =
        std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (std::max({launch.block[0], launch.block[1], launch.block[2]}) > kMostThreads ||
        threads == 0 || threads > kMostThreads) {
      refuse("a block has 1 to 1024 threads");
    }
    for (unsigned k = 0; k < 3; ++k) {
      launched_.grid[k] = launch.grid[k];
      launched_.block[k] = launch.block[k];
    }
    if (launch.grid[1] > 65535 || launch.grid[2] > 65535 || launch.grid[0] > 0x7fffffffU)
      refuse("the grid is too large");
    blocks_ = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    if (blocks_ == 0) refuse("the grid has no blocks");
    if (launch.parameters.size() != kernel.parameter_bytes) {
      refuse("its parameters have " + std::to_string(kernel.parameter_bytes) + " bytes, not " +
             std::to_string(launch.parameters.size()));
    }
    const std::uint64_t shared =
        launch.dynamic_shared == 0
            ? kernel.static_shared_bytes
            : std::uint64_t{kernel.dynamic_shared_offset} + launch.dynamic_shared;
    if (shared > kMostShared)
      refuse("a block has no " + std::to_string(shared) + " bytes of shared memory");
    shared_bytes_ = static_cast<std::uint32_t>(shared);
    local_bytes_ = (kernel.local_bytes + std::min(launch.stack_bytes, 1U << 20) + 63) / 64 * 64;
    resident_ = std::max<std::uint64_t>(launch.resident_blocks, 1);
    parameters_.resize(parameters_.size() +
                       16);  // so that there is an address also without parameters
    launched_.kernel = &kernel;
    launched_.functions = &program.functions();
    launched_.late = &program;
    launched_.memory = &memory;
    launched_.globals = &program.globals();
    launched_.parameters = parameters_.data();
    launched_.parameter_bytes = kernel.parameter_bytes;
    launched_.dynamic_shared = launch.dynamic_shared;
    launched_.number = ++launches;
  }

  Outcome run(const std::stop_token& stop) {
    Outcome outcome;
    Pause pause;
    running_ = true;
    while (!round(outcome, stop, pause)) {
      answer();
      if (!moved_) pause.take(wake_);
    }
    return finish(outcome);
  }

  std::vector<Position> positions() {
    std::unique_lock lock(asked_mutex_);
    if (!running_.load()) return {};
    const std::uint64_t mine = ++asked_;
    answered_.wait(lock, [&] { return answers_ >= mine || over_; });
    return answer_;
  }

 private:
  // Gives each warp a turn. True if the launch is over.
  bool round(Outcome& outcome, const std::stop_token& stop, Pause& pause) {
    fill();
    if (resident_blocks_.empty()) return true;
    if (stop.stop_requested()) {
      outcome.kind = Outcome::Kind::kStopped;
      return true;
    }
    moved_ = false;
    wake_ = 0;
    for (std::size_t n = 0; n < resident_blocks_.size();) {
      Block& block = resident_blocks_[n]->block();
      for (const auto& warp : block.warps) {
        if (warp->alive == 0) continue;
        const Turn turn = take_turn(*warp, pause.idle());
        moved_ = moved_ || turn.progressed;
        if (turn.wake != 0) wake_ = wake_ == 0 ? turn.wake : std::min(wake_, turn.wake);
        if (warp->fault != nullptr) {
          outcome.kind = Outcome::Kind::kFailed;
          outcome.failure = failure_of(*warp);
          return true;
        }
      }
      if (!resident_blocks_[n]->ended()) {
        ++n;
        continue;
      }
      for (const auto& warp : block.warps) executed_ += warp->executed;
      moved_ = true;
      spare_.push_back(std::move(resident_blocks_[n]));
      resident_blocks_.erase(resident_blocks_.begin() + static_cast<std::ptrdiff_t>(n));
    }
    if (moved_) pause.reset();
    return false;
  }

  void fill() {
    while (next_ < blocks_ && resident_blocks_.size() < resident_) {
      if (spare_.empty()) {
        spare_.push_back(std::make_unique<ResidentBlock>(launched_, shared_bytes_, local_bytes_));
      }
      resident_blocks_.push_back(std::move(spare_.back()));
      spare_.pop_back();
      resident_blocks_.back()->begin(next_++);
    }
  }

  void answer() {
    if (asked_.load() == answers_.load()) return;
    const std::scoped_lock lock(asked_mutex_);
    answer_.clear();
    for (const auto& resident : resident_blocks_) append_positions(resident->block(), answer_);
    answers_ = asked_.load();
    answered_.notify_all();
  }

  Outcome finish(Outcome& outcome) {
    for (const auto& resident : resident_blocks_) {
      for (const auto& warp : resident->block().warps) executed_ += warp->executed;
    }
    outcome.warp_instructions = executed_;
    resident_blocks_.clear();
    spare_.clear();
    const std::scoped_lock lock(asked_mutex_);
    running_ = false;
    over_ = true;
    answer_.clear();
    answered_.notify_all();
    return std::move(outcome);
  }

  std::vector<std::byte> parameters_;
  Launched launched_;
  std::uint64_t blocks_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t resident_ = 1;
  std::uint32_t shared_bytes_ = 0;
  std::uint32_t local_bytes_ = 0;
  std::uint64_t executed_ = 0;
  bool moved_ = false;
  std::int64_t wake_ = 0;
  std::vector<std::unique_ptr<ResidentBlock>> resident_blocks_;
  std::vector<std::unique_ptr<ResidentBlock>> spare_;

  // Questions from other threads. The run answers them between two rounds.
  std::mutex asked_mutex_;
  std::condition_variable answered_;
  std::atomic<bool> running_{false};
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::uint64_t> answers_{0};
  bool over_ = false;
  std::vector<Position> answer_;
};

Execution::Execution(const Program& program, const Memory& memory, const Launch& launch)
    : machine_(std::make_unique<Machine>(program, memory, launch)) {}
Execution::~Execution() = default;

Outcome Execution::run(const std::stop_token& stop) { return machine_->run(stop); }
std::vector<Position> Execution::positions() { return machine_->positions(); }

}  // namespace sim::ptx
