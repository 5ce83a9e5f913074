// Starts the worker on a program, all ranks in one process, and looks at it until it ends or is
// proven dead.
#include "tests/fuzz/live/trial.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <sstream>

#include "harness/detect/judge.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/processes/launch.h"
#include "harness/record/reader.h"
#include "harness/run/look/starvation.h"
#include "harness/run/start/boxes.h"
#include "tests/fuzz/judgement.h"
#include "tests/fuzz/live/split.h"
#include "tests/fuzz/live/worker.h"

namespace gridlock::fuzz {
namespace {

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr int kLookEveryMs = 1;

// The process that runs the program. It is killed at the end, whatever it is doing.
class Worker {
 public:
  Worker(const Program& program, const run::Boxes& boxes)
      : process_(processes::start({.command = {GRIDLOCK_FUZZ_WORKER, to_text(program)},
                                   .environment = environment(program, boxes)})),
        ranks_(program.ranks.size()) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    kill(process_.pid, SIGKILL);
    waitpid(process_.pid, nullptr, 0);
  }

  // Reads what the worker has reported. Waits a moment if there is nothing.
  void listen() {
    pollfd output{.fd = process_.output.get(), .events = POLLIN, .revents = 0};
    if (poll(&output, 1, kLookEveryMs) <= 0) return;
    std::array<char, 4096> bytes{};
    const ssize_t size = read(process_.output.get(), bytes.data(), bytes.size());
    if (size == 0) failure_ = failure_.empty() ? "the worker died" : failure_;
    if (size <= 0) return;
    said_.append(bytes.data(), static_cast<std::size_t>(size));
    for (std::size_t end = said_.find('\n'); end != std::string::npos; end = said_.find('\n')) {
      understand(said_.substr(0, end));
      said_.erase(0, end + 1);
    }
  }

  // What kept its threads from running.
  run::Hindrances hindrances() const {
    record::Snapshot process;
    process.pid = process_.pid;
    return run::hindrances({&process, 1});
  }

  const std::vector<RankThread>& ranks() const { return ranks_; }
  const std::string& failure() const { return failure_; }
  bool all_returned() const {
    return std::all_of(ranks_.begin(), ranks_.end(),
                       [](const RankThread& rank) { return rank.returned; });
  }

 private:
  static std::vector<std::string> environment(const Program& program, const run::Boxes& boxes) {
    return {std::string("GRIDLOCK_SIM_LAZY_CONNECT=") + (program.lazy ? "1" : "0"),
            std::string("LD_PRELOAD=") + GRIDLOCK_RECORDER,
            std::string("NVTX_INJECTION64_PATH=") + GRIDLOCK_RECORDER,
            "GRIDLOCK_BOXES=" + boxes.address(),
            "GRIDLOCK_SIM_BUFFER=" + std::to_string(kBufferBytes),
            "RANK=0",
            "LOCAL_RANK=0",
            "WORLD_SIZE=1",
            "LOCAL_WORLD_SIZE=1"};
  }

  void understand(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    std::size_t rank = 0;
    words >> word;
    if (word == "thread" && words >> rank) words >> ranks_.at(rank).tid;
    if (word == "returned" && words >> rank) ranks_.at(rank).returned = true;
    if (word == "crashed" && words >> rank)
      ranks_.at(rank).returned = ranks_.at(rank).crashed = true;
    if (word == "failed") failure_ = line;
  }

  processes::Process process_;
  std::vector<RankThread> ranks_;
  std::string said_;
  std::string failure_;
};

// A number that grows when anything moves.
std::uint64_t pulse_of(const std::vector<record::Snapshot>& ranks) {
  std::uint64_t pulse = 0;
  for (const record::Snapshot& rank : ranks) {
    pulse += rank.recorded + rank.communicators.size();
    if (rank.process != record::ProcessState::alive) ++pulse;
    for (const record::Thread& thread : rank.threads) pulse += thread.epoch;
    for (const record::Stream& stream : rank.streams) pulse += stream.started + stream.completed;
  }
  return pulse;
}

}  // namespace

std::string picture(const std::vector<record::Snapshot>& ranks, const detect::Verdict& verdict) {
  std::string text = explanation(verdict);
  for (const record::Snapshot& rank : ranks) {
    text += fmt::format("\n  rank {}", rank.rank);
    for (const record::Thread& thread : rank.threads) {
      text += fmt::format(", thread in {}", record::to_string(thread.call));
      if (thread.waits != record::Waits::nothing) {
        text += fmt::format(" after {} launches", thread.launches);
      }
    }
    for (const record::Stream& stream : rank.streams) {
      text += fmt::format(", stream {}/{}/{}", stream.completed, stream.started, stream.enqueued);
    }
    if (rank.process != record::ProcessState::alive) text += ", has left";
    if (!rank.damage.empty()) text += ", " + rank.damage;
  }
  return text;
}

// Only the kernel knows who sleeps for a counter or gets a signal, and it must know which threads
// are a rank's.
bool needs_processes(const Program& program) {
  return program.mpi || !program.threads.empty() || !program.late.empty() ||
         any_call(program,
                  [](const Instruction& call) { return has_counter(call.op) || gathers(call.op); });
}

Trial run(const Program& program, std::chrono::milliseconds patience) {
  return needs_processes(program) ? run_as_processes(program, patience)
                                  : run_as_threads(program, patience);
}

Trial run_as_threads(const Program& program, std::chrono::milliseconds patience) {
  run::Boxes boxes(1);
  Worker worker(program, boxes);
  detect::Judge judge({.buffer_bytes = kBufferBytes});
  Trial trial;
  std::set<int> proven;
  std::int64_t moved_ns = now_ns();
  run::SilenceMeter since_move;  // a worker without a core is not at its end
  std::uint64_t pulse = 0;
  while (worker.failure().empty()) {
    worker.listen();
    if (worker.all_returned()) {
      trial.end = Trial::End::finished;
      break;
    }
    const auto bytes = boxes.bytes(0);
    const std::vector<record::Snapshot> ranks = split(
        record::read(bytes.data(), bytes.size(), 0, record::Modules::leave_out), worker.ranks());
    const detect::Finding finding = judge.look(ranks);
    if (finding.proven) proven.insert(finding.dead.begin(), finding.dead.end());
    if (const std::uint64_t now = pulse_of(ranks); now != pulse) {
      pulse = now;
      moved_ns = now_ns();
    }
    const bool late = run::is_over(
        since_move.measure(moved_ns, now_ns(), patience, [&] { return worker.hindrances(); }),
        patience);
    if (!late && !(finding.proven && finding.settled)) continue;
    trial.end = late ? Trial::End::undecided : Trial::End::deadlock;
    trial.verdict = judge.verdict();
    trial.stuck = finding.dead;
    trial.named = named_in(trial.verdict);
    if (late) trial.detail = picture(ranks, trial.verdict);
    break;
  }
  trial.ever_proven.assign(proven.begin(), proven.end());
  if (!worker.failure().empty()) {
    trial.end = Trial::End::failed;
    trial.detail = worker.failure();
  }
  return trial;
}

}  // namespace gridlock::fuzz
