// A communicator's segment in this process. Ranks of one process share one mapping.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/nccl/members/layout.h"

namespace sim::nccl {

// Makes a new segment. It can be opened until all its ranks have arrived or this process ends.
//   Errors   ncclSystemError
ncclResult_t make_segment(SegmentId* id);

// A copy of a buffer in this process's arena. It may outlive the communicator that used it.
using Staging = std::shared_ptr<void>;

class Segment {
 public:
  // Maps the segment that `id` names, for `ranks` ranks.
  //   Errors   ncclSystemError, with a sentence, if its maker is gone or on another machine
  static ncclResult_t open(const SegmentId& id, int ranks, std::shared_ptr<Segment>* segment);

  Segment(std::byte* base, int ranks) : base_(base), ranks_(ranks) {}
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  int ranks() const { return ranks_; }
  // Bytes up to which a collective's data travels inside the segment.
  std::size_t inline_bytes() const;

  Header& header() const;
  PaddedBell& bell(int rank) const;
  Member& member(int rank) const;
  SlotCounters& counters(std::uint64_t number) const;
  Record& record(std::uint64_t number, int rank) const;
  std::byte* inline_data(std::uint64_t number, int rank) const;
  Channel& channel(int from, int to) const;

  void ring_host() const;
  void ring_all(std::uint32_t reasons) const;

  // Keeps `staging` until no rank of this process uses the segment any more.
  void keep(std::vector<Staging> staging);

  static std::size_t size(int ranks);

 private:
  template <typename T>
  T& at(std::size_t offset) const;

  std::byte* base_;
  int ranks_;
  std::mutex mutex_;
  std::vector<Staging> kept_;
};

// Forgets the descriptor of a segment whose ranks have all arrived, if this process made it.
void forget_segment(const SegmentId& id);

}  // namespace sim::nccl
