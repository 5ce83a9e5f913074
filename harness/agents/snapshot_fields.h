// The fields of a snapshot, listed once for writing and reading. The structured bindings name all
// members of a type, so the code does not compile until a new member is listed here.
#pragma once

#include <cstdint>

#include "harness/agents/wire.h"
#include "harness/record/snapshot.h"

namespace gridlock::agents {

template <>
inline constexpr record::Call kLast<record::Call> = record::kLastCall;
template <>
inline constexpr record::Waits kLast<record::Waits> = record::Waits::any_request;
template <>
inline constexpr record::CommunicatorState kLast<record::CommunicatorState> =
    record::CommunicatorState::aborted;
template <>
inline constexpr record::ProcessState kLast<record::ProcessState> = record::ProcessState::signaled;
template <>
inline constexpr record::Graph kLast<record::Graph> = record::Graph::line;
template <>
inline constexpr record::Signals kLast<record::Signals> = record::Signals::timed;
template <>
inline constexpr record::Awake kLast<record::Awake> = record::Awake::in_library;

// The parts of a snapshot that are sent. An unchanged part is left out.
enum class Section : std::uint8_t { head, threads, communicators, streams, operations };
constexpr int kSections = 5;

template <typename Archive, typename Operation>
void visit_operation(Archive& archive, Operation& value) {
  auto& [call, datatype, reduction, result, graph, open, deferred, communicator, stream, slot,
         count, position, called, launched, leader, index, time_ns, peer, tag, thread, event_stream,
         event_position, callers, label] = value;
  archive.times(time_ns);
  archive(index, call, datatype, reduction, result, peer, tag, communicator, stream, thread, slot,
          count, position, called, launched, deferred, leader, graph, open, event_stream,
          event_position, callers, label);
}

template <typename Archive, typename Sleep>
void visit_sleep(Archive& archive, Sleep& value) {
  auto& [asleep, wakers, by_anybody, has_name, listens, far_ends, has_far_limit, switches, on,
         for_signal, may_be_brief, may_idle, at_one_file, joins, held_by, limit_ns,
         has_hidden_limit, awake, by_clock, only_by_clock, for_napper] = value;
  archive(asleep, wakers, by_anybody, has_name, listens, far_ends, has_far_limit, switches, on,
          for_signal, may_be_brief, may_idle, at_one_file, joins, held_by, limit_ns,
          has_hidden_limit, awake, by_clock, only_by_clock, for_napper);
}

template <typename Archive, typename Sleeper>
void visit_sleeper(Archive& archive, Sleeper& value) {
  auto& [tid, process, sleep, of_rank, launches, may_join, hears, name, state, syscall] = value;
  archive(tid, process, of_rank, launches, may_join, hears, name, state, syscall);
  visit_sleep(archive, sleep);
}

template <typename Archive, typename Thread>
void visit_thread(Archive& archive, Thread& value) {
  auto& [tid, epoch, call, waits, since_ns, device, stream, position, communicator, launches,
         requests, callers, label, asked, exists, name, state, syscall, wait_channel, sleep,
         in_launch] = value;
  archive.times(since_ns);
  archive.times(asked.at_ns);
  archive(tid, epoch, call, waits, device, stream, position, communicator, launches, requests,
          callers, label, asked.waits, asked.of, asked.position, exists, name, state, syscall,
          wait_channel);
  visit_sleep(archive, sleep);
  visit_sleep(archive, in_launch);
}

template <typename Archive, typename Stream>
void visit_stream(Archive& archive, Stream& value) {
  auto& [handle, device, legacy, non_blocking, mpi, polled, missed, enqueued, started, completed] =
      value;
  archive(handle, device, legacy, non_blocking, mpi, polled, missed, enqueued, started, completed);
}

template <typename Archive, typename Communicator>
void visit_communicator(Archive& archive, Communicator& value) {
  auto& [id, name, size, rank, device, state, mpi, uncertain, graphs, next_slot, failed_call,
         failed_result, last_call, calls, messages, counts_messages] = value;
  archive(id, name, size, rank, device, state, mpi, uncertain, graphs, next_slot, failed_call,
          failed_result, last_call, calls, counts_messages);
  archive.list(messages, [](auto& to, auto& one) {
    auto& [peer, sends, count] = one;
    to(peer, sends, count);
  });
}

template <typename Archive, typename Module>
void visit_module(Archive& archive, Module& value) {
  auto& [begin, end, bias, path] = value;
  archive(begin, end, bias, path);
}

// `modules` are not a section: agent 0 asks for them when it has a verdict. It says who goes on.
template <typename Archive, typename Snapshot>
void visit_section(Archive& archive, Snapshot& value, Section section) {
  auto& [rank, world_size, pid, claim, program, host, backend, nccl_version, buffer_bytes, mpi,
         cuda_unseen, has_destructors, initialised_ns, last_change_ns, threads, communicators,
         streams, operations, modules, overrun, recorded, polls, damage, process, exit_code,
         code_known, launcher, gone_ns, library_threads, other_threads, others, connections, key,
         signals, handles_outer_signal, processor_time_ns, enders, launchers, first_thread,
         is_ending, unanswered, goes_on_since_ns] = value;
  switch (section) {
    case Section::head:
      archive.times(initialised_ns, last_change_ns, gone_ns);
      archive(rank, world_size, pid, claim, program.by_bytes, program.by_addresses, host, backend,
              nccl_version, buffer_bytes, mpi, cuda_unseen, has_destructors, overrun, recorded,
              polls, damage, process, exit_code, code_known, launcher, library_threads,
              other_threads, key, signals, handles_outer_signal, processor_time_ns, enders,
              launchers, is_ending);
      visit_thread(archive, first_thread);
      return archive.list(unanswered, [](auto& with, auto& one) {
        auto& [to, peer, bytes, tries, has_route, peer_has_route] = one;
        with(to, peer, bytes, tries, has_route, peer_has_route);
      });
    case Section::threads:
      archive.list(threads, [](auto& to, auto& thread) { visit_thread(to, thread); });
      archive.list(connections, [](auto& to, auto& one) {
        auto& [name, holder] = one;
        to(name, holder);
      });
      return archive.list(others, [](auto& to, auto& sleeper) { visit_sleeper(to, sleeper); });
    case Section::communicators:
      return archive.list(communicators,
                          [](auto& to, auto& member) { visit_communicator(to, member); });
    case Section::streams:
      return archive.list(streams, [](auto& to, auto& stream) { visit_stream(to, stream); });
    case Section::operations:
      return archive.list(operations,
                          [](auto& to, auto& operation) { visit_operation(to, operation); });
  }
}

}  // namespace gridlock::agents
