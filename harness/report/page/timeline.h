// What happened in one run, according to the black boxes: schema gridlock.timeline/1. It is written
// beside the results when the run is over, so that a page can be made again from disk.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "harness/detect/findings/picture.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/record/snapshot.h"

namespace gridlock::report {

// Times of CLOCK_MONOTONIC; 0 if it did not happen or is not known.
struct TimelineMarks {
  std::int64_t started_ns = 0;
  std::int64_t last_progress_ns = 0;
  std::int64_t proven_ns = 0;
  std::int64_t decided_ns = 0;
  std::int64_t killed_ns = 0;
};

struct Recorded {
  std::span<const record::Snapshot> snapshots;  // with all operations that the boxes still hold
  const detect::Verdict* verdict = nullptr;
  const detect::CommunicatorNames* names = nullptr;
  const detect::WaitPicture* picture = nullptr;  // null: no rank waits for another
  TimelineMarks marks;
  // "function (file:line)" of a place; "" if it has no name.
  std::function<std::string(const detect::CodeLocation&)> name_of;
};

// A rank's state as text. Ranks with equal texts are drawn as one.
std::string state_of(const record::Snapshot& snapshot);

std::string timeline_json(const Recorded& recorded);

// A larger timeline is refused, both when it is written and when it is read.
constexpr std::size_t kMostTimelineBytes = std::size_t{24} << 20U;

// What is wrong with `text` as a timeline; "" if it can be drawn.
std::string timeline_fault(std::string_view text);

}  // namespace gridlock::report
