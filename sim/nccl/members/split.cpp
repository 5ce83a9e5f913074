// The first rank of each new communicator makes its segment and publishes its id in the parent's.
#include "sim/nccl/members/split.h"

#include <algorithm>
#include <utility>

#include "sim/nccl/members/init.h"

namespace sim::nccl {

std::uint64_t take_split_number(Communicator& parent) {
  const std::lock_guard lock(parent.issue_mutex());
  return parent.splits++;
}

ncclResult_t split(Communicator& parent, const SplitWish& wish, Communicator* child) {
  const std::uint64_t number = wish.number;
  Segment& segment = parent.segment();
  Header& header = segment.header();
  const auto ranks = static_cast<std::uint64_t>(parent.ranks());
  const auto split_of = [&](int rank) -> Member::Split& {
    return segment.member(rank).splits[number % 2];
  };
  // A rank's splits happen one after the other, even if a group runs them at once.
  const ncclResult_t in_turn =
      parent.wait_on_host([&] { return parent.splits_done.load() == number; }, true);
  if (in_turn != ncclSuccess) return in_turn;
  Member::Split& mine = split_of(parent.rank());
  mine.color = wish.color;
  mine.key = wish.key;
  if (header.splits.fetch_add(1) + 1 == ranks * (number + 1)) segment.ring_host();
  ncclResult_t result =
      parent.wait_on_host([&] { return header.splits.load() >= ranks * (number + 1); }, true);
  if (result != ncclSuccess) return result;

  std::vector<std::pair<int, int>> members;  // key, rank in the parent
  for (int rank = 0; rank < parent.ranks(); ++rank) {
    const Member::Split& theirs = split_of(rank);
    if (theirs.color == mine.color) members.emplace_back(theirs.key, rank);
  }
  const auto past_it = [&] {
    parent.splits_done.store(number + 1);
    segment.ring_host();
  };
  if (child == nullptr) {
    past_it();
    return ncclSuccess;
  }
  std::sort(members.begin(), members.end());
  const auto me = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.second == parent.rank(); });
  child->place(static_cast<int>(me - members.begin()), static_cast<int>(members.size()));
  Member::Split& first = split_of(members.front().second);
  if (child->rank() == 0) {
    result = make_segment(&first.meeting);
    if (result != ncclSuccess) return result;
    first.meeting_number.store(number + 1);
    segment.ring_host();
  }
  result = parent.wait_on_host([&] { return first.meeting_number.load() == number + 1; }, true);
  const SegmentId meeting = first.meeting;
  past_it();
  return result == ncclSuccess ? join(*child, meeting) : result;
}

ncclResult_t shrink(Communicator& parent, const std::vector<int>& excluded, Communicator& child) {
  Segment& segment = parent.segment();
  std::vector<int> members;
  std::uint64_t key = 0xcbf2'9ce4'8422'2325;  // FNV-1a over the excluded ranks and earlier shrinks
  const auto mix = [&key](std::uint64_t value) { key = (key ^ value) * 0x100'0000'01b3; };
  for (int rank = 0; rank < parent.ranks(); ++rank) {
    const bool gone = std::binary_search(excluded.begin(), excluded.end(), rank);
    if (!gone) members.push_back(rank);
    mix(gone ? 2 : 1);
  }
  {
    const std::lock_guard lock(parent.issue_mutex());
    mix(parent.shrinks[key]++);
  }
  const auto me = std::find(members.begin(), members.end(), parent.rank());
  child.place(static_cast<int>(me - members.begin()), static_cast<int>(members.size()));
  Member& first = segment.member(members.front());
  if (child.rank() == 0) {
    const ncclResult_t made = make_segment(&first.shrink_meeting);
    if (made != ncclSuccess) return made;
    first.shrink_key.store(key);
    segment.ring_host();
  }
  const ncclResult_t came =
      parent.wait_on_host([&] { return first.shrink_key.load() == key; }, false);
  return came == ncclSuccess ? join(child, first.shrink_meeting) : came;
}

}  // namespace sim::nccl
