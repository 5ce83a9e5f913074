// Hand-written results for the tests of reports.
#pragma once

#include "harness/report/results.h"

namespace gridlock::report {

inline Run hang(int repetition = 0) {
  Run run;
  run.scenario = "uneven_batches";
  run.variant = "peers_leave";
  run.role = "broken";
  run.repetition = repetition;
  run.ranks = 4;
  run.verdict.outcome = detect::Outcome::deadlock;
  run.verdict.cause = detect::Cause::rank_exited;
  run.verdict.culprits = {3};
  run.verdict.waiting.push_back({.ranks = {0, 1, 2},
                                 .operation = record::Call::all_reduce,
                                 .host_call = record::Call::stream_synchronize,
                                 .communicator_id = 7,
                                 .communicator = "world",
                                 .slot = 41,
                                 .label = "gradients/bucket 0",
                                 .callers = {},
                                 .caller = "launch_bucket (reducer.cpp:88)"});
  run.verdict.faults.push_back({.ranks = {3}, .what = detect::phrase::Ended{}});
  run.verdict.assumptions = {detect::phrase::Said{"1 thread never makes a call"}};
  run.verdict.told = "Rank 3 is gone.";
  run.expected = {detect::Outcome::deadlock};
  run.as_declared = true;
  run.time_to_hang_ms = 3.5;
  run.time_to_detect_ms = 1.25;
  run.time_to_recover_ms = 7;
  run.score = 5;
  run.noise = 0;
  run.figures["samples_lost"] = {4, 4};
  run.moments = {.begun_ns = 1000000,
                 .last_progress_ns = 9000000,
                 .decided_ns = 10250000,
                 .ended_ns = 17250000};
  run.sources["launch_bucket (reducer.cpp:88)"] = "/src/training/reducer.cpp:88";
  run.kept = "uneven_batches.peers_leave.n4.0";
  return run;
}

inline Run healthy(const char* variant, const char* role, double step_us) {
  Run run;
  run.scenario = "uneven_batches";
  run.variant = variant;
  run.role = role;
  run.ranks = 4;
  run.verdict.outcome = detect::Outcome::completes;
  run.expected = {detect::Outcome::completes};
  run.as_declared = true;
  run.step_time_us = step_us;
  run.numbers_checked = true;
  run.score = 5;
  run.noise = 0;
  return run;
}

inline Run skipped() {
  Run run = healthy("needs_three", "broken", 0);
  run.status = Status::skipped;
  run.reason = "needs at least 3 ranks";
  run.as_declared = false;
  run.step_time_us.reset();
  run.score.reset();
  return run;
}

inline Results session() {
  Results results;
  results.context.date = "2026-01-31T23:59:59Z";
  results.context.host = "host";
  results.context.backend = "sim";
  results.context.ranks = {4};
  results.context.commit = "0123456789abcdef";
  results.context.dirty = true;
  results.context.cpu = "2 x Processor";
  Run wrong = healthy("padding", "fix", 300);
  wrong.verdict = hang().verdict;
  wrong.as_declared = false;
  wrong.score = 0;
  Run error = healthy("join", "fix", 300);
  error.status = Status::error;
  error.reason = "3 processes could not be killed";
  results.runs = {hang(0), hang(1), healthy("even", "control", 200), wrong, error, skipped()};
  return results;
}

}  // namespace gridlock::report
