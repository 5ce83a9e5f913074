// Walks through the machine step by step, and looks on the way.
#include "tests/fuzz/paper/on_paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "harness/detect/judge.h"
#include "harness/detect/words/verdict_text.h"
#include "tests/fuzz/judgement.h"
#include "tests/fuzz/live/races.h"
#include "tests/fuzz/live/worker.h"
#include "tests/fuzz/oracle/machine.h"
#include "tests/fuzz/oracle/oracle.h"
#include "tests/fuzz/paper/recording.h"

namespace gridlock::fuzz {
namespace {

using State = Machine::State;

// Per cent.
constexpr int kFewestReads = 30;
constexpr int kMostReads = 95;
constexpr int kNotesPerStep = 30;
constexpr int kBeginsPerStep = 10;
// Longer than any way, so that no call that only may wait does.
constexpr std::int64_t kMayWaitNs = 1'000'000;
constexpr std::size_t kMostStates = 3000;

// Which ranks finish in some end that can be reached from a state; none is known if there are too
// many states between.
std::vector<bool> may_finish(const Machine& machine, const State& from) {
  std::vector<bool> may(kMaxRanks, false);
  std::size_t visited = 0;
  for (const State& end :
       all_ends(machine, machine.rested(from), Steps::chosen, kMostStates, visited)) {
    const std::vector<bool> finishes = machine.fate(end).finishes;
    for (std::size_t rank = 0; rank < finishes.size(); ++rank) {
      may[rank] = may[rank] || finishes[rank];
    }
  }
  return may;
}

// Whether the same is true with the real NCCL. Its aborts may have let others go, its destroys wait
// for fewer members, and which of its calls connect is not recorded.
bool may_be_real(const Program& program) {
  return !program.lazy && !any_call(program, [](const Instruction& call) {
    return gives_up(call.op) || gathers(call.op);
  });
}

class Walk {
 public:
  Walk(const Program& program, Dice& dice)
      : program_(program),
        dice_(dice),
        machine_(program),
        is_real_(may_be_real(program) && dice.percent(50)),
        recording_(machine_, is_real_),
        state_(machine_.start()),
        judge_(
            {.buffer_bytes = kBufferBytes, .strict = dice.percent(50), .may_wait_ns = kMayWaitNs}),
        reads_(dice.between(kFewestReads, kMostReads)) {
    begin_look();
  }

  PaperTrial run() {
    for (;;) {
      while (dice_.percent(reads_) && result_.disagreement.empty()) read_next();
      const std::vector<State> next = machine_.successors(state_);
      if (next.empty() || !result_.disagreement.empty()) break;
      const State& chosen =
          next[static_cast<std::size_t>(dice_.below(static_cast<int>(next.size())))];
      recording_.step(state_, chosen);
      state_ = chosen;
      happen_unseen();
    }
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
      recording_.note_progress(state_, rank);
    }
    if (result_.disagreement.empty()) end();
    return result_;
  }

 private:
  // What the oracle takes no notice of.
  void happen_unseen() {
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
      if (dice_.percent(kNotesPerStep)) recording_.note_progress(state_, rank);
    }
    for (std::size_t host = 0; host < program_.ranks.size() + program_.threads.size(); ++host) {
      if (dice_.percent(kBeginsPerStep)) recording_.announce(state_, host);
    }
  }

  void begin_look() {
    order_.resize(program_.ranks.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t left = order_.size(); left > 1; --left) {
      std::swap(order_[left - 1], order_[at(dice_.below(static_cast<int>(left)))]);
    }
    reading_.assign(order_.size(), {});
    part_ = 0;
  }

  // Reads one more part of a box; with the last one of all, the detector looks.
  void read_next() {
    const std::size_t rank = order_.back();
    recording_.read(kParts.at(part_), state_, rank, reading_[rank]);
    if (++part_ < kParts.size()) return;
    part_ = 0;
    order_.pop_back();
    if (!order_.empty()) return;
    look();
    begin_look();
  }

  void look() {
    boxes_ = reading_;
    judge_.parameters().now_ns = recording_.now_ns() + (has_ended_ ? 2 * kMayWaitNs : 0);
    finding_ = judge_.look(boxes_);
    ++result_.looks;
    if (!finding_.proven) return;
    proven_.insert(finding_.dead.begin(), finding_.dead.end());
    const std::vector<bool> may = may_finish(machine_, state_);
    for (const int rank : finding_.dead) {
      if (!may[at(rank)]) continue;
      result_.disagreement = fmt::format("rank {} may still finish; the detector: ranks {}: {}",
                                         rank, finding_.dead, explanation(judge_.verdict()));
    }
  }

  // Nothing moves any more: two looks must see all.
  void end() {
    has_ended_ = true;
    for (int whole = 0; whole < 3; ++whole) {
      do {
        read_next();
      } while (part_ != 0 || order_.size() != program_.ranks.size());
      if (!result_.disagreement.empty()) return;
    }
    Fate fate = machine_.fate(state_);
    fate.blame = machine_.blame(state_);
    result_.dead = fate.dead();
    Trial trial;
    trial.ever_proven.assign(proven_.begin(), proven_.end());
    trial.end = !fate.dead()      ? Trial::End::finished
                : finding_.proven ? Trial::End::deadlock
                                  : Trial::End::undecided;
    if (finding_.proven) {
      trial.verdict = judge_.verdict();
      trial.stuck = finding_.dead;
      trial.named = named_in(trial.verdict);
      // A rank need not be named if it sleeps in its own code, signals may come from outside, and
      // what the real NCCL makes of calls that do not fit is not known.
      trial.may_assume = is_real_ || needs_processes(program_);
      // What an abort has ended may have reached the others.
      trial.is_part = drops_work(program_) || may_be_undecided();
    } else {
      trial.detail = picture(boxes_, judge_.verdict());
      trial.raced = may_be_undecided();
    }
    result_.undecided = trial.end == Trial::End::undecided;
    result_.disagreement = disagreement(
        program_, {.fates = {std::move(fate)}, .states = 0, .exhaustive = true}, trial);
  }

  // Threads of one rank have raced, or signals may come from outside.
  bool may_be_undecided() const {
    return has_race(boxes_) || (judge_.parameters().strict && uses_signals(program_));
  }

  const Program& program_;
  Dice& dice_;
  Machine machine_;
  bool is_real_;  // recorded with the real NCCL
  Recording recording_;
  State state_;
  detect::Judge judge_;
  int reads_;  // per cent: how often the look goes on before the next step
  detect::Finding finding_;
  std::size_t part_ = 0;                   // of the rank that is read, the next in `kParts`
  std::vector<std::size_t> order_;         // of the ranks whose boxes this look has not read yet
  std::vector<record::Snapshot> reading_;  // by rank
  std::vector<record::Snapshot> boxes_;    // of the last look
  std::set<int> proven_;
  bool has_ended_ = false;  // the last looks come after a while
  PaperTrial result_;
};

}  // namespace

PaperTrial run_on_paper(const Program& program, Dice& dice) { return Walk(program, dice).run(); }

}  // namespace gridlock::fuzz
