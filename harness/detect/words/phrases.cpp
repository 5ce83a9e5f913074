// A sentence for each kind of phrase.
#include "harness/detect/words/phrases.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "harness/base/text.h"
#include "harness/detect/words/calls.h"
#include "harness/detect/words/threads.h"

namespace gridlock::detect {
namespace {

std::string after_text(const After& after) {
  switch (after.kind) {
    case After::Kind::nothing:
      break;
    case After::Kind::failed: {
      // A failed collective is named by the slot that it would have had; other calls have none.
      const std::string call = record::is_collective(after.call)
                                   ? call_text(after.call, after.slot)
                                   : std::string(record::to_string(after.call));
      if (after.result == 0) return fmt::format(" after {} failed", call);
      return fmt::format(" after {} failed with {}", call, record::name_of_result(after.result));
    }
    case After::Kind::inside:
      return fmt::format(" in {}", record::to_string(after.call));
    case After::Kind::call:
      return fmt::format(" after {}{}", call_text(after.call, after.slot), quoted(after.label));
  }
  return "";
}

struct Speaker {
  bool many = false;  // the phrase is about several ranks

  std::string_view verb(std::string_view of_one, std::string_view of_many) const {
    return many ? of_many : of_one;
  }
  std::string_view have() const { return verb("has", "have"); }
  static std::string at(const std::string& where) {
    return where.empty() ? "" : fmt::format(", on {}", where);
  }

  std::string operator()(const phrase::Said& said) const { return said.text; }

  std::string operator()(const phrase::CalledOther& calls) const {
    // Both sides of a message are one call.
    if (record::is_message(calls.own.call) && record::is_message(calls.others.call)) {
      return fmt::format("{} the message {} bytes, and the other rank {} bytes",
                         verb("gives", "give"), calls.own.bytes, calls.others.bytes);
    }
    return fmt::format("called {} where others called {}", shape_text(calls.own),
                       shape_text(calls.others));
  }
  std::string operator()(const phrase::CalledUnfit&) const {
    return "made a call that does not fit the others'";
  }
  std::string operator()(const phrase::Joined& joined) const {
    // A communicator that never formed can be identified only by its name.
    const std::string& name = joined.communicator.given;
    const std::string others =
        joined.others_size == 0
            ? ""
            : fmt::format("; the {} joined it as one of {}", joined.one_other ? "other" : "others",
                          joined.others_size);
    return fmt::format("joined {} as rank {} of {}{}{}",
                       name.empty() ? "a communicator" : "communicator" + quoted(name), joined.rank,
                       joined.size, joined.another_id ? ", with another id than the others" : "",
                       others);
  }
  std::string operator()(const phrase::NeverJoined&) const {
    return "never called comm_init for the communicator that the others wait to form";
  }
  std::string operator()(const phrase::Ended& end) const {
    std::string text = end.by_signal
                           ? fmt::format("{} killed by signal {} ({})", verb("was", "were"),
                                         end.code, strsignal(end.code))
                       : end.code_known ? fmt::format("exited with code {}", end.code)
                                        : "ended, with a code that only its launcher knows";
    text += after_text(end.after);
    if (end.never_joined) text += " and never called comm_init";
    text += at(end.where);
    return end.reason.empty() ? text : fmt::format("{}: {}", text, end.reason);
  }
  std::string operator()(const phrase::WrongNumbers& wrong) const {
    return fmt::format("{} wrong numbers: {}", have(), wrong.detail);
  }
  std::string operator()(const phrase::InStreamFunction& function) const {
    return fmt::format("{} a stream in {}, which has not returned", have(),
                       place_text(function.at));
  }
  std::string operator()(const phrase::InsideNccl& call) const {
    const char* what = call.at.call == record::Call::group_end
                           ? "though no member is missing from the first call of the group that "
                             "waits: another one has not ended"
                           : "though no member is missing: NCCL itself does not end it";
    return fmt::format("{} in {}, {}", verb("waits", "wait"), place_text(call.at), what);
  }
  std::string operator()(const phrase::OnItsDevice& work) const {
    std::string text =
        fmt::format("{} in {}, behind work", verb("waits", "wait"), place_text(work.at));
    if (work.in_front) {
      text = fmt::format("{} not come to {}: before it is work", have(), place_text(work.at));
    }
    return text + " that is not recorded (a kernel, a copy) and does not end" + at(work.where);
  }
  std::string operator()(const phrase::InHostCode& thread) const {
    std::string text = fmt::format(
        "{} {} ", have(),
        !thread.main_thread ? "a thread" : verb("its main thread", "their main threads"));
    return text + doing_text(thread.state, thread.syscall, thread.wait_channel) +
           ", outside any recorded call" + after_text(thread.after) + at(thread.where);
  }
  std::string operator()(const phrase::NoCallYet& thread) const {
    std::string text = fmt::format("{} made no recorded call yet", have());
    if (thread.state == 0) return text;
    return fmt::format("{}, with {} {}", text, verb("its main thread", "their main threads"),
                       doing_text(thread.state, thread.syscall, thread.wait_channel));
  }
  std::string operator()(const phrase::InUnrecordedCode&) const {
    return fmt::format("{} in code that is not recorded", verb("is", "are"));
  }
  std::string operator()(const phrase::HasAborted&) const {
    return fmt::format("{} aborted the communicator that the others wait to form", have());
  }
  std::string operator()(const phrase::HasClosed&) const {
    return fmt::format("{} closed the communicator that the others wait on", have());
  }
  std::string operator()(const phrase::OneCallTooMany& call) const {
    return fmt::format("made a call that most ranks have ended without: {}", place_text(call.at));
  }
  std::string operator()(const phrase::GoesOn& other) const {
    std::string text = fmt::format("{} on with other calls", verb("goes", "go"));
    if (other.missed)
      text += fmt::format(", and {} not called {}", have(), place_text(*other.missed));
    return text;
  }
  std::string operator()(const phrase::WaitsIn& wait) const {
    std::string text = fmt::format("{} in {}", verb("waits", "wait"), place_text(wait.at));
    // One process may be several members.
    if (wait.missed == wait.at)
      return text + fmt::format(", and {} not called it on another device", have());
    if (wait.missed)
      text += fmt::format(", and {} not called {}", have(), place_text(*wait.missed));
    return text;
  }

  std::string operator()(const phrase::Step& step) const {
    return step.asleep_on.empty()
               ? fmt::format("rank {} ({})", step.rank, place_text(step.at))
               : fmt::format("rank {} (asleep on {})", step.rank, step.asleep_on);
  }

  std::string operator()(const phrase::Assumes& assumes) const {
    const std::string ranks = ranks_text(assumes.ranks);
    switch (assumes.what) {
      case phrase::Assumes::What::no_signals:
        return fmt::format(
            "no signal that is handled or awaited by {} comes from a launcher, from outside the "
            "job or from an alarm",
            ranks);
      case phrase::Assumes::What::not_asked_to_end:
        return fmt::format("no launcher sends {} a signal to end that is handled", ranks);
      case phrase::Assumes::What::no_kills:
        return fmt::format("no launcher kills a process whose end would wake {}", ranks);
      case phrase::Assumes::What::no_outer_signals:
        return fmt::format("no rank or helper sends {} a signal to end, stop or go on", ranks);
      case phrase::Assumes::What::no_openers:
        return fmt::format(
            "nobody outside the job uses the named pipe, socket, memory, semaphore or queue that "
            "{} {} at",
            ranks, assumes.ranks.size() == 1 ? "sleeps" : "sleep");
      case phrase::Assumes::What::no_connections:
        return fmt::format("nobody outside the job connects to a server of {}", ranks);
      case phrase::Assumes::What::far_limits:
        return fmt::format("no time limit of a minute or more, with which {} {}, ends the hang",
                           ranks, assumes.ranks.size() == 1 ? "sleeps" : "sleep");
      case phrase::Assumes::What::deaf_launchers:
        return "no signal comes from outside the job to a launcher or another process beside the "
               "ranks";
      case phrase::Assumes::What::no_strangers:
        return "no process joins a communicator that was not started here";
      case phrase::Assumes::What::no_restart:
        return fmt::format("the launcher of {} neither starts it again nor ends the others", ranks);
      case phrase::Assumes::What::not_told:
        return fmt::format(
            "NCCL does not tell {}, in a call that makes a communicator, that a "
            "member has ended",
            ranks);
      case phrase::Assumes::What::silent_threads:
        return fmt::format("threads of {} that never made a recorded call will not start to",
                           ranks);
      case phrase::Assumes::What::idle_threads:
        return fmt::format(
            "threads of {} that sleep by the clock wake no thread that is idle, also through "
            "others",
            ranks);
      case phrase::Assumes::What::helpers_nap:
        return "helpers and launchers that sleep by the clock do nothing but sleep again";
      case phrase::Assumes::What::may_wait:
        return fmt::format(
            "a call of {} that may wait (copy, allocation, launch, free, destroy, abort, or one "
            "that makes connections) does",
            ranks);
      case phrase::Assumes::What::polled:
        return fmt::format("stream progress of {}, found by polling, is what its events say",
                           ranks);
      case phrase::Assumes::What::no_failures:
        return fmt::format("no kernel that a device of {} may still run fails", ranks);
      case phrase::Assumes::What::standard_send:
        return fmt::format(
            "the standard send that {} {} in is not buffered but waits for its receive", ranks,
            assumes.ranks.size() == 1 ? "is" : "are");
      case phrase::Assumes::What::mpi_begins_ends:
        return fmt::format("MPI_Init or MPI_Finalize of {} waits for all ranks", ranks);
      case phrase::Assumes::What::died_inside:
        return fmt::format("what {} had under way when the process ended goes no further", ranks);
      case phrase::Assumes::What::brief_sleeps:
        return fmt::format(
            "no thread inside a library holds a lock that a sleeping thread of {} waits for",
            ranks);
      case phrase::Assumes::What::buffers:
        return fmt::format(
            "what {} {} does not fit NCCL's buffers, whose size is not known (taken for 4 MiB)",
            ranks, assumes.ranks.size() == 1 ? "sends" : "send");
      case phrase::Assumes::What::one_moment:
        return fmt::format(
            "the boxes show {} at one moment: nobody of them had gone on before the last box was "
            "saved",
            ranks);
      case phrase::Assumes::What::misfits:
        return "calls that differ in kind, size or root never complete (NCCL leaves it undefined)";
      case phrase::Assumes::What::misfits_of_mpi:
        return "collectives of MPI that differ in kind or root never complete (MPI leaves it "
               "undefined)";
    }
    return "";
  }

  std::string operator()(const phrase::Unread& unread) const {
    return fmt::format("Nothing is proven about {}: {}.", ranks_text(unread.ranks), unread.why);
  }
  std::string operator()(const phrase::OpenGroup& group) const {
    const bool one = group.ranks.size() == 1;
    std::string ranks = ranks_text(group.ranks);
    ranks.front() = 'R';
    if (group.ended) {
      return fmt::format(
          "{} ended with a group open: {} had called {} in it, and not ncclGroupEnd.", ranks,
          one ? "it" : "they", place_text(group.first));
    }
    return fmt::format("{} {} a group open: {} called {} in it, and not yet ncclGroupEnd.", ranks,
                       one ? "has" : "have", one ? "it has" : "they have", place_text(group.first));
  }
  std::string operator()(const phrase::KeepsPythonsLock& keeps) const {
    return fmt::format(
        "A thread of {} waits for Python's lock (GIL), which another one keeps: a call that waits "
        "must give it away before.",
        ranks_text(keeps.ranks));
  }
  std::string operator()(const phrase::Unreceived& message) const {
    const std::string what =
        message.count == 1 ? "a message" : fmt::format("{} messages", message.count);
    return fmt::format("Rank {} has sent rank {} {}{}, which rank {} has not received.",
                       message.from, message.to, what,
                       message.tag ? fmt::format(" with tag {}", *message.tag) : "", message.to);
  }
  std::string operator()(const phrase::MayAct& able) const {
    return fmt::format("It is not proven, because somebody can still act: {}.",
                       actors_text(able.actors));
  }
  std::string operator()(const phrase::ByLoop& sleepers) const {
    const bool one = sleepers.ranks.size() == 1;
    std::string ranks = ranks_text(sleepers.ranks);
    ranks.front() = 'R';
    return fmt::format("{} {} at a futex, which does not say for whom: that is taken from {}.",
                       ranks, one ? "sleeps" : "sleep",
                       one ? "its event loop" : "their event loops");
  }
  std::string operator()(const phrase::EndedItself& ended) const {
    return fmt::format(
        "The job stood still until {} aborted a communicator: the cause is that of the standstill, "
        "not of the end.",
        ranks_text(ended.ranks));
  }
  std::string operator()(const phrase::Crossed& crossed) const {
    std::vector<std::string> sides;
    for (const auto& side : crossed.sides) {
      std::string text =
          crossed.is_message
              ? fmt::format("{} gave it {} bytes", ranks_text(side.ranks), side.shape.bytes)
              : fmt::format("{} called {}", ranks_text(side.ranks), shape_text(side.shape));
      if (!side.label.empty()) text += " for" + quoted(side.label);
      sides.push_back(std::move(text));
    }
    const std::string communicator = communicator_text(crossed.communicator);
    return fmt::format("Calls that do not belong together met at {} {} of {}: {}.",
                       crossed.is_message ? "message" : "slot", crossed.slot,
                       communicator.empty() ? "a communicator" : communicator, join_text(sides));
  }
};

}  // namespace

std::string text_of(const Phrase& phrase, std::size_t ranks) {
  return std::visit(Speaker{.many = ranks > 1}, phrase);
}

}  // namespace gridlock::detect
