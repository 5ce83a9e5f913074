// Asks each agent one question, and takes one answer from each.
#include "harness/agents/exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/look/own_ranks.h"

namespace gridlock::agents {
namespace {

constexpr int kFirstTrips = 16;
constexpr int kLaterTrips = 4;
// Within this time, clocks drift by less than the error of a measurement.
constexpr Duration kAlignInterval = 5s;

}  // namespace

Writer question(Request request) {
  Writer writer;
  writer(request);
  return writer;
}

std::string Fellow::name() const { return fmt::format("agent {} on {}", index, greeting.host); }

Exchange::Exchange(std::vector<Listener::Guest> guests) {
  std::vector<Channel*> channels;
  for (Listener::Guest& guest : guests) {
    Fellow& fellow = fellows_.emplace_back();
    fellow.index = guest.greeting.index;
    fellow.greeting = std::move(guest.greeting);
    fellow.channel = std::move(guest.channel);
    channels.push_back(fellow.channel.get());
  }
  beats_ = std::make_unique<Beats>(std::move(channels));
  for (Fellow& fellow : fellows_) align(fellow, kFirstTrips);
  aligned_ns_ = run::now_ns();
}

void Exchange::send(Fellow& fellow, const Writer& question) {
  fellow.asked_ns = run::now_ns();
  ++fellow.due;
  fellow.channel->send(question.bytes());
  note_lost(fellow);
}

void Exchange::send_all(const Writer& question) {
  for (Fellow& fellow : fellows_) send(fellow, question);
}

void Exchange::receive(Fellow& fellow, const Use& use) {
  --fellow.due;
  const auto message = fellow.channel->wait();
  if (!message) return note_lost(fellow);
  const std::int64_t got_ns = run::now_ns();
  // An agent whose answer makes no sense counts as lost. The others go on.
  try {
    Reader reader(*message);
    AnswerHead head;
    visit_head(reader, head);
    fellow.clock.add({.asked_ns = fellow.asked_ns,
                      .heard_ns = head.heard_ns,
                      .answered_ns = head.answered_ns,
                      .got_ns = got_ns});
    fellow.fault = head.error;
    if (!head.error.empty()) return;
    use(fellow, reader);
    reader.end();
  } catch (const WireError& error) {
    fellow.channel->give_up(error.what());
    note_lost(fellow);
  }
}

void Exchange::receive_all(const Use& use) {
  for (Fellow& fellow : fellows_) receive(fellow, use);
}

void Exchange::ask_all(Request request, const Use& use) {
  send_all(question(request));
  receive_all(use);
}

void Exchange::take_due() {
  for (Fellow& fellow : fellows_) {
    for (; fellow.due > 0; --fellow.due) fellow.channel->wait();
    note_lost(fellow);
  }
}

void Exchange::align() {
  if (Duration(run::now_ns() - aligned_ns_) <= kAlignInterval) return;
  for (Fellow& fellow : fellows_) align(fellow, kLaterTrips);
  aligned_ns_ = run::now_ns();
}

void Exchange::align(Fellow& fellow, int times) {
  for (int i = 0; i < times; ++i) {
    send(fellow, question(Request::align));
    receive(fellow, [](Fellow&, Reader&) {});
  }
}

Duration Exchange::clock_error() const {
  std::int64_t most_ns = 0;
  for (const Fellow& fellow : fellows_) {
    most_ns = std::max(most_ns, fellow.clock.error_ns(run::now_ns()));
  }
  return Duration(most_ns);
}

void Exchange::note_lost(const Fellow& fellow) {
  if (!lost_.empty() || fellow.channel->lost().empty()) return;
  lost_ = fmt::format("{} is lost: {}", fellow.name(), fellow.channel->lost());
}

void Exchange::check() {
  for (Fellow& fellow : fellows_) {
    fellow.channel->check();
    note_lost(fellow);
  }
}

}  // namespace gridlock::agents
