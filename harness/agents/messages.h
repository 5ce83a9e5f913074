// What agents ask each other: agent 0 asks, the others answer each question once, in order.
//
// A question is its Request and its arguments. An answer begins with whether it succeeded, and with
// the times when the question was heard and answered, on the answering agent's clock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/agents/wire.h"
#include "harness/catalogue/gpus.h"
#include "harness/run/job.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::agents {

enum class Request : std::uint8_t {
  align,       // nothing but the times of the answer
  gpus,        // that the ranks may use
  start,       // a job's share of ranks
  look,        // depth, and for each rank the first operation that is wanted: a delta of snapshots
  modules,     // of each rank
  hindrances,  // what kept threads from running
  loads,       // how busy the GPUs are
  ends,        // how the processes ended and what they said
  kill,        // the job; how many processes are left
  box,         // of a rank
  delays,      // seed, and how many agents make them: begins them
  delays_end,  // ends them: what was made
  end,         // of the session, with an exit code; no answer
};
template <>
inline constexpr Request kLast<Request> = Request::end;
template <>
inline constexpr run::Depth kLast<run::Depth> = run::Depth::network;
template <>
inline constexpr run::RankReport::Status kLast<run::RankReport::Status> =
    run::RankReport::Status::skipped;
template <>
inline constexpr run::RankReport::Numbers kLast<run::RankReport::Numbers> =
    run::RankReport::Numbers::wrong;

// In front of an answer.
struct AnswerHead {
  std::string error;  // "": none
  std::int64_t heard_ns = 0;
  std::int64_t answered_ns = 0;
};

template <typename Archive, typename Head>
void visit_head(Archive& archive, Head& value) {
  archive(value.error, value.heard_ns, value.answered_ns);
}

// Who looks on stays with the agent that shows it. Only a single agent simulates hosts.
template <typename Archive, typename Job>
void visit_job(Archive& archive, Job& value) {
  auto& [command, ranks, by_program, by_mpiexec, pass_output, outsiders, utilisation, recorded,
         strict, stall_limit, assumption_bound, run_limit, on_look, before_output, on_stall,
         on_long_waits, environment, gpus, split, share, simulated_hosts, master_address,
         master_port] = value;
  archive(command, ranks, by_program, by_mpiexec, pass_output, outsiders, utilisation, recorded,
          strict, stall_limit, assumption_bound, run_limit, environment, split, master_address,
          master_port);
  archive.optional(gpus, [](auto& to, auto& set) {
    auto& [count, nccl_version, one_host] = set;
    to(count, nccl_version, one_host);
  });
  archive.optional(share, [](auto& to, auto& part) {
    auto& [first, own, first_local, local_ranks] = part;
    to(first, own, first_local, local_ranks);
  });
}

template <typename Archive, typename Gpus>
void visit_gpus(Archive& archive, Gpus& value) {
  auto& [count, name, driver, cuda, fault, is_broken, devices] = value;
  archive(count, name, driver, cuda, fault, is_broken);
  archive.list(devices, [](auto& to, auto& gpu) { to(gpu.name, gpu.uuid, gpu.serial); });
}

template <typename Archive, typename Thread>
void visit_hindrance(Archive& archive, Thread& value) {
  auto& [thread, hindrance] = value;
  auto& [on_core, in_queue, page_ins, ready, held, helper] = hindrance;
  archive(thread, on_core, in_queue, page_ins, ready, held, helper);
}

template <typename Archive, typename RankEnd>
void visit_end(Archive& archive, RankEnd& value) {
  auto& [ending, output, report] = value;
  archive.optional(ending, [](auto& to, auto& how) { to(how.signaled, how.code); });
  auto& [status, reason, port_taken, numbers, numbers_detail, figures, damage] = report;
  archive(output, status, reason, port_taken, numbers, numbers_detail, figures, damage);
}

}  // namespace gridlock::agents
