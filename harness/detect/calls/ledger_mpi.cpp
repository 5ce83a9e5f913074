// What the ledger knows about MPI's messages: how many of each kind, never which ones.
#include <algorithm>

#include "harness/detect/calls/ledger.h"

namespace gridlock::detect {

using record::Call;

std::size_t Ledger::HashLine::operator()(const Line& line) const {
  std::uint64_t hash = static_cast<std::uint32_t>(line.from);
  for (const std::int32_t part : {line.to, line.tag}) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

void Ledger::add_mpi(Communicator& communicator, const record::Operation& operation,
                     std::int32_t own) {
  const bool sends = record::sends(operation.call);
  const bool takes = operation.call == Call::mpi_got || operation.call == Call::mpi_recv;
  // A receive from any source has taken nothing yet; a probe never takes anything.
  if (operation.peer < 0 || operation.tag < 0 || (!sends && !takes)) return;
  const Line line{.from = sends ? own : operation.peer,
                  .to = sends ? operation.peer : own,
                  .tag = operation.tag};
  Mail& of_line = communicator.lines[line];
  Mail& of_receiver = communicator.mail[line.to];
  std::uint64_t& count = sends ? of_line.sent : of_line.received;
  const std::uint64_t now = std::max(count, operation.slot + 1);
  (sends ? of_receiver.sent : of_receiver.received) += now - count;
  count = now;
}

Ledger::Mail Ledger::line(std::uint64_t communicator_id, const Line& line) const {
  const auto communicator = communicators_.find(communicator_id);
  if (communicator == communicators_.end()) return {};
  const auto found = communicator->second.lines.find(line);
  return found == communicator->second.lines.end() ? Mail{} : found->second;
}

std::uint64_t Ledger::mpi_sent(std::uint64_t communicator_id, std::int32_t from, std::int32_t to,
                               std::int32_t tag) const {
  return line(communicator_id, {.from = from, .to = to, .tag = tag}).sent;
}

std::uint64_t Ledger::mpi_received(std::uint64_t communicator_id, std::int32_t from,
                                   std::int32_t to, std::int32_t tag) const {
  return line(communicator_id, {.from = from, .to = to, .tag = tag}).received;
}

Ledger::Mail Ledger::mpi_mail(std::uint64_t communicator_id, std::int32_t to) const {
  const auto communicator = communicators_.find(communicator_id);
  if (communicator == communicators_.end()) return {};
  const auto found = communicator->second.mail.find(to);
  return found == communicator->second.mail.end() ? Mail{} : found->second;
}

}  // namespace gridlock::detect
