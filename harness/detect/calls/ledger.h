// Matches the calls of all ranks slot by slot as they arrive, and notes which do not fit: before
// anything hangs, and even if nothing ever hangs.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/detect/calls/communicator_names.h"
#include "harness/detect/calls/rules.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Calls that met at one slot (or the two sides of one message) and differ.
struct Disagreement {
  Difference difference = Difference::none;
  std::uint64_t communicator_id = 0;
  std::string communicator;
  std::uint64_t slot = 0;
  std::int64_t time_ns = 0;  // of the first call there
  // For a message: its sender's and receiver's ranks in the communicator; -1: a collective.
  std::int32_t from = -1;
  std::int32_t to = -1;
  struct Side {
    Shape shape;
    record::Label label;
    std::vector<int> ranks;  // world ranks, sorted
  };
  std::vector<Side> sides;
};

// Its memory is bounded by the number of slots that not all members have called yet.
class Ledger {
 public:
  // Adds what is new since the last call: operations with an index not seen before.
  void add(std::span<const record::Snapshot> snapshots);
  // The first index that `rank` has not shown yet: ask the reader for operations from there.
  std::uint64_t next_index(int rank) const;
  // Whether every operation that `rank` ever recorded was seen.
  bool complete(int rank) const;
  // Whether all of the rank's `recorded` operations that are MPI's are here.
  bool has_all_of_mpi(int rank, std::uint64_t recorded) const;

  // Fatal and number mismatches, in the order found. Their sides still grow while members arrive.
  const std::deque<Disagreement>& mismatches() const { return mismatches_; }
  // Same call and shape, different label: proves nothing, but is the likely cause of wrong numbers.
  const std::deque<Disagreement>& label_disagreements() const { return labels_; }
  // The mismatch at a slot; null if there is none.
  const Disagreement* mismatch(std::uint64_t communicator_id, std::uint64_t slot,
                               std::int32_t from = -1, std::int32_t to = -1) const;

  // Which ranks have made the call at a slot that some member has not called yet, and where in
  // their programs (Operation::called: in one group, all calls have the same number). May be empty
  // for other slots.
  struct Caller {
    std::int32_t rank = 0;
    std::uint64_t called = 0;
  };
  std::span<const Caller> callers(std::uint64_t communicator_id, std::uint64_t slot) const;

  const CommunicatorNames& names() const { return names_; }

  // How many messages `rank` of the communicator was seen to send to (or receive from) `peer`.
  std::uint64_t messages(std::uint64_t communicator_id, std::int32_t rank, std::int32_t peer,
                         bool sends) const;
  // MPI messages are matched by tag too. How many `from` was seen to send to `to`, or `to` to
  // receive from it; a receive from any source counts once it has taken a message.
  std::uint64_t mpi_sent(std::uint64_t communicator_id, std::int32_t from, std::int32_t to,
                         std::int32_t tag) const;
  std::uint64_t mpi_received(std::uint64_t communicator_id, std::int32_t from, std::int32_t to,
                             std::int32_t tag) const;
  // How many messages were sent to, and received by, one member.
  struct Mail {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  Mail mpi_mail(std::uint64_t communicator_id, std::int32_t to) const;
  // Messages that one member has sent another and that were not received, as far as they were seen.
  struct Unreceived {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::optional<std::int32_t> tag = {};  // of MPI's
    std::uint64_t count = 0;
  };
  std::vector<Unreceived> unreceived(std::uint64_t communicator_id) const;
  // Size of a message that only one side has called; 0: not known.
  std::uint64_t bytes_of_message(std::uint64_t communicator_id, std::int32_t from, std::int32_t to,
                                 std::uint64_t number) const;

 private:
  struct Slot {
    std::int32_t seen = 0;
    std::int64_t time_ns = 0;  // of the first call
    std::vector<Disagreement::Side> sides;
    std::vector<Caller> callers;
    Disagreement* mismatch = nullptr;  // in mismatches_, which does not move its elements
    Disagreement* label = nullptr;
  };
  struct Pair {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t base = 0;  // number of the first in `open`
    std::deque<Slot> open;
  };
  struct Line {  // MPI messages that stay in order
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int32_t tag = 0;
    bool operator==(const Line&) const = default;
  };
  struct HashLine {
    std::size_t operator()(const Line& line) const;
  };
  struct Communicator {
    std::uint64_t id = 0;
    std::string name;
    std::int32_t size = 0;
    std::uint64_t base = 0;
    std::deque<Slot> open;
    std::unordered_map<std::uint64_t, Pair> pairs;  // (sender << 32 | receiver)
    std::unordered_map<Line, Mail, HashLine> lines;
    std::unordered_map<std::int32_t, Mail> mail;  // by receiver
  };
  struct Rank {
    std::uint64_t claim = 0;
    std::uint64_t next_index = 0;   // of the first operation that is not here
    std::set<std::uint64_t> ahead;  // of those behind it that are
    std::uint64_t shown = 0;        // one past the newest that was shown
    bool seen = false;
    bool complete = true;
    bool speaks_mpi = false;
    bool has_open_mpi = false;
  };

  void add(const record::Snapshot& snapshot);
  bool is_another_program(Rank& rank, const record::Snapshot& snapshot);
  static void add_mpi(Communicator& communicator, const record::Operation& operation,
                      std::int32_t own);
  Mail line(std::uint64_t communicator_id, const Line& line) const;
  void call(Communicator& communicator, std::uint64_t number, std::uint64_t& base,
            std::deque<Slot>& open, std::int32_t members, const record::Operation& operation,
            int rank, std::int32_t from, std::int32_t to);
  void report(Slot& slot, const Communicator& communicator, std::uint64_t number, std::int32_t from,
              std::int32_t to);
  static std::size_t join(Slot& slot, const Shape& shape, const record::Label& label, int rank);

  std::unordered_map<std::uint64_t, Communicator> communicators_;
  std::unordered_map<int, Rank> ranks_;
  CommunicatorNames names_;
  bool programs_change_ = false;  // a rank has changed to another program
  std::deque<Disagreement> mismatches_;
  std::deque<Disagreement> labels_;
};

}  // namespace gridlock::detect
