// Turns successive looks at all ranks into a verdict. It has no clock: the caller decides how often
// to look, and how long ranks that can still move get to come to rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/parameters.h"
#include "harness/detect/graph/wait_graph.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// What one look found.
struct Finding {
  // Ranks that can never act again, as far as this look shows; sorted. Not a proof yet.
  std::vector<int> dead;
  // Those, and the ones whose streams may be further on than they show until somebody polls them.
  std::vector<int> suspects = {};
  // Those ranks were dead in the same way at the look before: a deadlock, whatever happens next.
  bool proven = false;
  // They are the same ranks, in the same recorded places; sleeping threads may have stirred.
  bool unmoved = false;
  // Their death rests on what the kernel says of sleeping threads, or of who may wake them.
  bool rests_on_kernel = false;
  // Every rank is dead or gone: waiting longer cannot change the verdict.
  bool settled = false;
  // Every other rank is inside a call that closes a communicator, and NCCL may let it wait there.
  bool closing = false;
};

class Judge {
 public:
  explicit Judge(Parameters parameters = {}) : parameters_(parameters) {}

  // One look: a snapshot per rank, always in the same order. Each should hold what its rank
  // recorded since ledger().next_index(rank), and what is in flight.
  Finding look(std::span<const record::Snapshot> snapshots);

  // One look at saved boxes, which do not change, so a second look would see the same. What is dead
  // in them counts as proven; the verdict then assumes that the boxes show one moment.
  Finding look_once(std::span<const record::Snapshot> snapshots);

  // The verdict on the snapshots of the last look, which must still exist: a deadlock if that look
  // found dead ranks, `running` otherwise. It is proven if the look said so.
  Verdict verdict() const;

  const Ledger& ledger() const { return ledger_; }
  // Times move on between looks; see Parameters::now_ns.
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

 private:
  // Fills `dead_`. Returns whether every rank is dead or gone.
  bool find_dead();
  Finding finding(bool proven, bool settled) const;
  std::vector<int> ranks_of_dead() const;
  // Whether all threads of the ranks that can act are in calls that close a communicator. Our own
  // NCCL never lets such a rank wait.
  bool others_are_closing() const;
  // What a proof rests on. The kernel's part counts only if rests_on_kernel() is true. The record's
  // part does not depend on whether the look asked the kernel.
  struct Fingerprint {
    std::uint64_t record = 0;  // 0: nothing is dead
    std::uint64_t kernel = 0;
  };
  Fingerprint fingerprint() const;
  // Whether the proof needs what the kernel says about sleeping threads or about who may wake them.
  bool rests_on_kernel() const;
  // Whether the look asked the kernel about the dead ranks.
  bool has_asked_kernel() const;
  // Fills `unseen_`. REQUIRES: the fingerprint is the one of the look before.
  void find_unseen();

  Parameters parameters_;
  Ledger ledger_;
  WaitGraph graph_;
  std::vector<Index> dead_;  // processes
  bool is_saved_ = false;    // the last look was at saved boxes
  Fingerprint fingerprint_;
  bool has_asked_ = false;  // the look before has asked the kernel about the dead ranks
  // By process: its polling rounds at the first look that repeated the fingerprint. Empty: no look
  // has repeated it yet.
  std::vector<std::uint64_t> polls_;
  std::vector<Index> unseen_;  // processes whose streams may be further on than they show
};

}  // namespace gridlock::detect
