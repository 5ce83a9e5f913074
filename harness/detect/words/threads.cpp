// A word for each state, and a clause for each reason to be awake.
#include "harness/detect/words/threads.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "harness/base/duration.h"
#include "harness/base/text.h"
#include "harness/record/call.h"

namespace gridlock::detect {
namespace {

std::string_view name_of_state(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "asleep";
    case 'D':
      return "in uninterruptible sleep";
    case 'Z':
      return "a zombie";
    case 'T':
    case 't':
      return "stopped";
    default:
      return "in host code";
  }
}

// It may have woken up meanwhile.
std::string limit_text(const phrase::MayAct::Actor& actor) {
  return actor.limit_ns == 0 || actor.state == 'R'
             ? ""
             : fmt::format(" for {} at most",
                           duration_text(std::chrono::ceil<std::chrono::milliseconds>(
                               Duration(actor.limit_ns))));
}

// What one that can act does.
std::string deed_text(const phrase::MayAct::Actor& actor) {
  if (actor.call != record::Call::none) {
    return fmt::format("in {}, which may return", record::to_string(actor.call));
  }
  std::string text = doing_text(actor.state, actor.syscall, "");
  switch (actor.awake) {
    case record::Awake::not_seen:
    case record::Awake::runs:
      break;
    case record::Awake::may_end:
      return text + limit_text(actor);
    case record::Awake::by_alarm:
      return text + ", which an alarm may interrupt";
    case record::Awake::by_signal:
      return text + ", with a signal pending";
    case record::Awake::by_page:
      return text + ", at a page that another process has to fill";
    case record::Awake::frozen:
      return text + ", frozen by a control group";
    case record::Awake::in_library:
      return text + ", perhaps in a call of CUDA, NCCL or MPI that is not recorded";
  }
  return text;
}

std::string actor_text(const phrase::MayAct::Actor& actor) {
  using ActorKind = phrase::MayAct::Actor::Kind;
  const std::string ranks = ranks_text(actor.ranks);
  const std::string deed =
      actor.name.empty() ? deed_text(actor) : fmt::format("{}, {}", actor.name, deed_text(actor));
  switch (actor.kind) {
    case ActorKind::main_thread:
      return fmt::format("the main thread{} of {} ({})", actor.ranks.size() == 1 ? "" : "s", ranks,
                         deed);
    case ActorKind::thread:
      return fmt::format("a thread of {} ({})", ranks, deed);
    case ActorKind::process:
      return fmt::format("process {} ({})", actor.process, deed);
    case ActorKind::signal:
      return fmt::format("a timer or a pending signal of {}", ranks);
  }
  return "";
}

}  // namespace

std::string doing_text(char state, const std::string& syscall, const std::string& wait_channel) {
  std::string text(name_of_state(state));
  if (!syscall.empty()) text += fmt::format(" in {}", syscall);
  if (!wait_channel.empty()) text += fmt::format(" (kernel: {})", wait_channel);
  return text;
}

std::string actors_text(std::span<const phrase::MayAct::Actor> actors) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> texts;
  for (const auto& actor : actors) {
    if (texts.size() == kMost) break;
    texts.push_back(actor_text(actor));
  }
  if (actors.size() > kMost) texts.push_back(fmt::format("{} more", actors.size() - kMost));
  return join_text(texts);
}

}  // namespace gridlock::detect
