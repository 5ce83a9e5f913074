// The nodes of the wait-for graph: one walk over the snapshots.
#include "harness/detect/graph/builder.h"

namespace gridlock::detect {
namespace {

// Of each operation what the walk reads first. It is in the cache when the walk comes to it.
void fetch_ahead(const record::Snapshot& snapshot) {
  for (const record::Operation& operation : snapshot.operations) {
    __builtin_prefetch(&operation.call);
    __builtin_prefetch(&operation.leader);
  }
}

}  // namespace

// What walks over all operations is kept to two passes, the first of them over one process at a
// time: at a million operations it is memory that costs.
void GraphBuilder::build(std::span<const Index> unseen) {
  clear();
  const auto count = static_cast<Index>(g_.snapshots.size());
  for (Index process = 0; process < count; ++process) add_process(process);
  add_process(count);
  add_members();
  add_slots();
  // Gatherings are found while the threads' waits are read, before nodes can be numbered.
  for (Index thread = 0; thread < g_.threads.size(); ++thread) {
    if (g_.threads[thread].blocked) gather(thread);
  }
  number_nodes();
  need_units();
  need_operations();
  need_slots();
  need_messages();
  need_hosts();
  order_communicators();
  order_events();
  for (Index process = 0; process < count; ++process) {
    order_legacy(process);
    need_threads(process);
  }
  for (Index index = 0; index < g_.gatherings.size(); ++index) need_gathering(index);
  need_parts();
  for (const Index process : unseen) let_unseen_pass(process);
}

void GraphBuilder::clear() {
  g_.processes.clear();
  g_.streams.clear();
  g_.threads.clear();
  g_.entries.clear();
  g_.communicators.clear();
  g_.members.clear();
  g_.first_operation.clear();
  g_.operations.clear();
  g_.parts.clear();
  g_.grouped.clear();
  g_.messages.clear();
  g_.slots.clear();  // what is listed by slot is written over
  g_.gatherings.clear();
  g_.alternatives = 0;
  g_.edges_.clear();
}

void GraphBuilder::add_process(Index process) {
  WaitGraph::Process begin{
      .first_stream = static_cast<Index>(g_.streams.size()),
      .first_thread = static_cast<Index>(g_.threads.size()),
      .first_entry = static_cast<Index>(g_.entries.size()),
      .first_operation = static_cast<Index>(g_.operations.size()),
      .first_message = static_cast<Index>(g_.messages.size()),
  };
  if (process == g_.snapshots.size()) {  // the stop
    g_.processes.push_back(begin);
    return;
  }
  if (process + 1 < g_.snapshots.size()) fetch_ahead(g_.snapshots[process + 1]);
  const record::Snapshot& snapshot = g_.snapshots[process];
  begin.gone = snapshot.process != record::ProcessState::alive;
  begin.trusted = !snapshot.overrun && snapshot.damage.empty() && !snapshot.mpi_was_given_up();
  g_.processes.push_back(begin);
  add_communicators(process);
  for (const record::Thread& thread : snapshot.threads) {
    g_.threads.push_back({.process = process,
                          .blocked = thread.exists && thread.waits != record::Waits::nothing &&
                                     begin.trusted && !begin.gone});
  }
  if (!begin.trusted) return;
  add_streams(process);
  find_awaited(process);
  add_operations(process);
  find_parts(process);
  find_orders(process);
}

void GraphBuilder::add_communicators(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  for (const record::Communicator& record : snapshot.communicators) {
    const auto [found, is_new] =
        communicator_of_id_.try_emplace(record.id, static_cast<Index>(g_.communicators.size()));
    if (is_new) {
      g_.communicators.push_back({.id = record.id, .size = static_cast<Index>(record.size)});
      windows_.emplace_back();
    }
    WaitGraph::Communicator& communicator = g_.communicators[found->second];
    if (communicator.size != static_cast<Index>(record.size)) communicator.sizes_differ = true;
    communicator.size = std::max(communicator.size, static_cast<Index>(record.size));
    const bool left = record.state == record::CommunicatorState::closing ||
                      record.state == record::CommunicatorState::closed ||
                      record.state == record::CommunicatorState::aborted;
    g_.entries.push_back({.process = process,
                          .communicator = found->second,
                          .next_slot = record.next_slot,
                          .left = left,
                          .aborted = record.state == record::CommunicatorState::aborted});
  }
}

void GraphBuilder::number_nodes() {
  g_.units = static_cast<Index>(g_.first_operation.size());
  g_.slot_count = static_cast<Index>(g_.slots.size());
  g_.slots_at_ = 2 * g_.units;  // each is reached and passed
  g_.threads_at_ = g_.slots_at_ + 4 * g_.slot_count;
  g_.hosts_at_ = g_.threads_at_ + static_cast<Index>(g_.threads.size());
  g_.futures_at_ = g_.hosts_at_ + static_cast<Index>(g_.snapshots.size());
  g_.gatherings_at_ = g_.futures_at_ + static_cast<Index>(g_.entries.size());
  g_.grouped_at_ = g_.any_host() + 1;
  g_.parts_at_ = g_.grouped_at_ + 2 * static_cast<Index>(g_.grouped.size());
  g_.need.assign(g_.nodes(), 0);
}

}  // namespace gridlock::detect
