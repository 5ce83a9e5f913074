// The watch loop.
#include "harness/run/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/duration.h"
#include "harness/detect/blame/network.h"
#include "harness/detect/judge.h"
#include "harness/detect/stall.h"
#include "harness/run/ending.h"
#include "harness/run/leftovers.h"
#include "harness/run/look/attention.h"
#include "harness/run/look/beginning.h"
#include "harness/run/look/doubts.h"
#include "harness/run/look/kernel/programs/unloaded_recorder.h"
#include "harness/run/look/kernel/programs/unseen_cuda.h"
#include "harness/run/look/last_state.h"
#include "harness/run/look/long_waits.h"
#include "harness/run/look/own_ranks.h"
#include "harness/run/look/sight.h"
#include "harness/run/look/silence.h"
#include "harness/run/look/standing.h"
#include "harness/run/look/standstill.h"
#include "harness/run/look/starvation.h"
#include "harness/run/look/suspicion.h"
#include "harness/run/times.h"

namespace gridlock::run {
namespace {

class Watch {
 public:
  Watch(const Job& job, const catalogue::Installation& installation,
        processes::Interrupts& interrupts, Fellows* fellows)
      : job_(begun(job, fellows)),
        installation_(installation),
        interrupts_(interrupts),
        fellows_(fellows),
        own_(job_, installation),
        sight_(job_, own_, fellows),
        judge_(parameters_of(job_)),
        standing_(job_.assumption_bound),
        long_waits_(job_.stall_limit),
        start_ns_(now_ns()) {}

  Observation run() {
    if (const std::string fault = fellows_ == nullptr ? "" : fellows_->started(); !fault.empty()) {
      give_up(fault);
    }
    const std::array others{interrupts_.descriptor()};
    while (decided_ns_ == 0) {
      own_.processes().wait(delay_, others);
      const Duration begun = own_work();
      step(now_ns());
      // The work of the busiest agent; waiting for answers, or for a core, does not count.
      const Duration cost = std::max(own_work() - begun, sight_.looked().cost);
      // A look at the threads of a job at rest has its own limit.
      if (rested_) attention_.looked(rests_since_ns_, now_ns(), cost);
      const bool rests_long = now_ns() - rests_since_ns_ > kLongRest.count();
      const Duration interval = rests_long ? kRestInterval : kPollInterval;
      const int share = doubts_.are_due() ? kDoubtShare : rested_ ? 0 : kPollShare;
      delay_ = suspicion_.is_urgent() ? Duration(0) : std::max(interval, share * cost);
      // A proof is told once it has stood for long enough.
      delay_ = std::min(delay_, std::max(kPollInterval, standing_.left()));
    }
    return finish();
  }

 private:
  void step(std::int64_t time_ns) {
    if (interrupts_.requested()) {
      observation_.interrupted = true;
      return give_up(fmt::format("ended by {}", interrupts_.name()));
    }
    const bool own_ended = own_.processes().all_ended();
    rests_since_ns_ = since_ns();
    const bool is_suspicious = suspicion_.exists();
    rested_ = !is_suspicious && (attention_.is_due(rests_since_ns_, time_ns) || doubts_.are_due());
    look(time_ns, is_suspicious ? suspicion_.next() : Depth::boxes);
    // If the boxes alone show dead ranks, the next look is for a proof.
    rested_ = rested_ && finding_.suspects.empty();
    if (rested_) look(time_ns, Depth::threads);
    if (fellows_ != nullptr && !fellows_->lost().empty()) return give_up_on_lost();
    if (own_ended && sight_.looked().all_ended && !goes_on()) return end();
    if (judge_deadlock(time_ns)) return;
    check_limits(time_ns);
  }

  void look(std::int64_t time_ns, Depth depth) {
    depth_ = depth;
    sight_.look(judge_.ledger(), depth);
    if (depth == Depth::threads || depth == Depth::kernel) {
      doubts_.looked(own_.is_in_doubt(), rests_since_ns_);
    }
    standstill_.look(sight_.snapshots(), time_ns);
    judge_.parameters().now_ns = time_ns;
    finding_ = judge_.look(sight_.snapshots());
    if (job_.on_look) job_.on_look(sight_.snapshots());
  }

  // When anything of the job last moved, as far as is known.
  std::int64_t since_ns() const {
    return std::max({sight_.last_progress_ns(), start_ns_, beginnings_.last_lively_ns()});
  }

  // Whether a rank lives on, perhaps without a call yet, after the processes that we started.
  bool goes_on() const {
    return std::ranges::any_of(sight_.snapshots(), [](const record::Snapshot& snapshot) {
      return snapshot.pid != 0 && snapshot.process == record::ProcessState::alive;
    });
  }

  bool judge_deadlock(std::int64_t time_ns) {
    finding_.proven = suspicion_.looked(finding_, depth_);
    const auto hindered = [this] { return sight_.hindrances(); };
    if (!standing_.needs_verdict(finding_, time_ns, hindered)) return false;
    sight_.read_modules();
    const Duration sleep = sleep_of_silent_threads(sight_.snapshots());
    std::optional<detect::Verdict> verdict =
        standing_.decide(judge_.verdict(), sleep, time_ns, hindered);
    if (!verdict) return false;
    decide(std::move(*verdict));
    return true;
  }

  // Whether the command starts the ranks and is none itself.
  bool starts_launcher() const {
    const std::vector<pid_t> started = own_.processes().pids();
    return job_.by_program &&
           std::ranges::none_of(sight_.snapshots(), [&](const record::Snapshot& snapshot) {
             return std::ranges::count(started, snapshot.pid) != 0;
           });
  }

  // All ranks have ended: their last calls are in the boxes, and their reports in the pipes.
  void end() {
    has_ended_ = true;
    own_.processes().drain_rest();
    collect();
    detect::Verdict verdict = starts_launcher()
                                  ? verdict_of_launcher(observation_.ranks, judge_.ledger())
                                  : verdict_of_end(observation_.ranks, judge_.ledger());
    const std::vector<int> aborts = aborting(sight_.snapshots());
    // Modules name the program and the callers.
    if (!unseen_cuda(sight_.snapshots()).empty() || !aborts.empty()) sight_.read_modules();
    const auto before = standstill_.before_abort(sight_.snapshots());
    if (!before.empty()) {
      blame_standstill(detect::explain_stall(before, judge_.parameters(), &judge_.ledger()), aborts,
                       verdict);
    }
    decide(std::move(verdict));
  }

  void check_limits(std::int64_t time_ns) {
    Circumstances circumstances{.initialising = sight_.initialising(),
                                .no_rank_is_left = sight_.no_rank_is_left()};
    // A launcher ends some time after its ranks, on a crowded machine seconds later.
    const bool under_way = circumstances.initialising.empty() && !circumstances.no_rank_is_left;
    const Duration limit = silence_limit(under_way, job_.stall_limit, job_.gpus.has_value());
    beginnings_.look(sight_.snapshots(), time_ns, limit / 8);
    const Silence silence =
        silence_.measure(since_ns(), time_ns, limit, [this] { return sight_.hindrances(); });
    const bool is_silent =
        is_over(silence, limit) || (silence.wall > kCutOffTimes * limit && is_cut_off(time_ns));
    const bool is_late =
        job_.run_limit > Duration(0) && time_ns - start_ns_ > job_.run_limit.count();
    if (!is_silent && !is_late) return tell_long_waits(time_ns);
    if (!is_late && told_ns_ == since_ns()) return;     // this silence has been reported
    if (!is_late && standing_.since_ns() != 0) return;  // a proof decides once it has stood
    look(time_ns, Depth::network);
    circumstances.ending = sight_.ending();
    circumstances.watched = job_.ranks;
    circumstances.of_job = ranks_of_job(sight_.snapshots());
    if (!is_late && !circumstances.ending.empty() &&
        !is_over(silence, silence_limit(false, job_.stall_limit, true))) {
      return;
    }
    sight_.read_modules();
    detect::Verdict verdict = judge_.verdict();
    const bool is_proof = finding_.proven && (is_late || verdict.assumptions.empty());
    if (!is_proof) {
      auto of_some = is_silent ? std::nullopt : explain_long_waits(time_ns);
      verdict = of_some ? std::move(*of_some)
                        : detect::explain_stall(sight_.snapshots(), judge_.parameters(),
                                                &judge_.ledger());
    }
    verdict.notes.emplace_back(detect::phrase::Said{
        is_silent ? sentence(silence, circumstances)
                  : fmt::format("The run limit of {} is over.", duration_text(job_.run_limit))});
    const bool is_stall = verdict.outcome == detect::Outcome::stall;
    if (is_late || !is_stall || !job_.on_stall) return decide(std::move(verdict));
    told_ns_ = since_ns();
    job_.on_stall(verdict, sight_.snapshots());
  }

  // Some ranks may hang while others go on. Only silence is a stall: nothing is ended here.
  void tell_long_waits(std::int64_t time_ns) {
    if (!job_.on_long_waits || standing_.since_ns() != 0) return;
    if (!long_waits_.are_due(sight_.snapshots(), since_ns(), time_ns)) return;
    look(time_ns, Depth::network);
    sight_.read_modules();
    if (auto verdict = explain_long_waits(time_ns)) {
      job_.on_long_waits(std::move(*verdict), sight_.snapshots());
    }
  }

  std::optional<detect::Verdict> explain_long_waits(std::int64_t time_ns) {
    return long_waits_.explain(sight_.snapshots(), judge_.parameters(), &judge_.ledger(), time_ns);
  }

  // Whether a rank on another host does not answer. Its kernel would, however starved its threads
  // are. But whoever mends the link may be starved too, so this takes twice as long. Asked once a
  // second.
  bool is_cut_off(std::int64_t time_ns) {
    if (Duration(time_ns - asked_ns_) < 1s) return false;
    asked_ns_ = time_ns;
    look(time_ns, Depth::network);
    return detect::blame_network(sight_.snapshots()).cause != detect::Cause::none;
  }

  void decide(detect::Verdict verdict) {
    observation_.verdict = std::move(verdict);
    decided_ns_ = now_ns();
  }

  void give_up(const std::string& why) {
    observation_.fault = why;
    decided_ns_ = now_ns();
  }

  // A verdict from only some of the ranks would be wrong.
  void give_up_on_lost() {
    observation_.agent_lost = true;
    give_up(fmt::format("{}; {}", fellows_->lost(),
                        last_state(sight_.snapshots(), fellows_->lost_ranks())));
  }

  void collect() {
    std::vector<RankEnd>& all = observation_.ranks = own_.ends();
    if (fellows_ == nullptr) return;
    all.insert(all.begin(), static_cast<std::size_t>(own_share(job_).first), RankEnd{});
    all.resize(static_cast<std::size_t>(job_.ranks));
    fellows_->collect(all);
  }

  // Called while the job still hangs, so that its GPUs show what they are doing.
  void add_gpu_figures() {
    const bool asked = job_.utilisation && !job_.by_program && !job_.by_mpiexec;
    if (!asked || !observation_.time_to_detect_ms) return;
    observation_.gpu_figures = watch_utilisation(installation_, own_.processes().pids());
    if (fellows_ != nullptr) {
      fellows_->add_loads(observation_.gpu_figures, static_cast<std::size_t>(job_.ranks));
    }
  }

  Observation finish() {
    if (!has_ended_) collect();
    if (observation_.fault.empty() && observation_.verdict.outcome == detect::Outcome::stall) {
      observation_.fault = unloaded_recorder(sight_.snapshots(), observation_.ranks);
    }
    std::vector<std::optional<processes::Ending>> endings;
    for (const RankEnd& rank : observation_.ranks) endings.push_back(rank.ending);
    add_times({.start_ns = start_ns_,
               .initialised_ns = sight_.initialised_ns(),
               .last_progress_ns = sight_.last_progress_ns(),
               .proven_ns = standing_.since_ns(),
               .decided_ns = decided_ns_},
              observation_);
    add_gpu_figures();
    if (has_ended_) observation_.left_running = leftovers();
    const std::int64_t kill_ns = now_ns();
    observation_.moments.killed_ns = kill_ns;
    if (fellows_ != nullptr) fellows_->kill();
    std::size_t left = own_.processes().kill_all();
    if (fellows_ != nullptr) left += fellows_->killed();
    const std::int64_t ended_ns = now_ns();
    observation_.time_to_recover_ms = static_cast<double>(ended_ns - kill_ns) / 1e6;
    observation_.moments.ended_ns = ended_ns;
    if (!has_ended_) collect();
    // Restore the endings from before the kill: killed ranks did not end by themselves.
    for (std::size_t i = 0; i < endings.size(); ++i) observation_.ranks[i].ending = endings[i];
    if (left > 0) {
      observation_.fault =
          fmt::format("{} processes could not be killed; the kernel holds them", left);
    }
    observation_.snapshots = sight_.snapshots();
    observation_.own = own_share(job_);
    observation_.boxes = own_.boxes();
    return std::move(observation_);
  }

  Job job_;
  const catalogue::Installation& installation_;
  processes::Interrupts& interrupts_;
  Fellows* fellows_;
  OwnRanks own_;
  Sight sight_;
  detect::Judge judge_;
  Depth depth_ = Depth::boxes;  // of the last look, and what it found
  detect::Finding finding_;
  Observation observation_;
  Duration delay_ = kPollInterval;
  bool rested_ = false;  // the last look was at the threads of a job at rest
  std::int64_t rests_since_ns_ = 0;
  Suspicion suspicion_;
  Standing standing_;
  LongWaits long_waits_;
  bool has_ended_ = false;  // all ranks have
  Standstill standstill_{kStandstillBound};
  Attention attention_;        // to the threads of a job at rest
  Doubts doubts_;              // about threads that are awake in a wait
  Beginnings beginnings_;      // ranks without a recorded call
  std::int64_t asked_ns_ = 0;  // when the network was last asked
  std::int64_t told_ns_ = -1;  // the start of the last reported silence
  SilenceMeter silence_;       // since anything last moved
  std::int64_t start_ns_;
  std::int64_t decided_ns_ = 0;
};

}  // namespace

Observation watch(const Job& job, const catalogue::Installation& installation,
                  processes::Interrupts& interrupts, Fellows* fellows) {
  try {
    return Watch(job, installation, interrupts, fellows).run();
  } catch (...) {
    // This agent's ranks are gone by now. The fellows' ranks would go on, and their answers would
    // arrive later.
    if (fellows != nullptr) fellows->call_off();
    throw;
  }
}

}  // namespace gridlock::run
