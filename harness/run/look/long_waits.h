// Waits that last while the rest of the job goes on: it is never silent, and some of it may hang.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/base/limits.h"
#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/parameters.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

class LongWaits {
 public:
  // Of a job that counts as stalled once it has been silent for `limit`.
  explicit LongWaits(Duration limit) : limit_(limit), pause_(limit) {}

  // Whether to tell about waits now: one has lasted for the limit, and somewhat longer, because
  // those that begin because of it begin later. Each is told once, and after each telling there is
  // a pause, which doubles. `moved_ns`: when anything of the job last moved; a job that is silent
  // is not told about here.
  bool are_due(std::span<const record::Snapshot> ranks, std::int64_t moved_ns, std::int64_t now_ns);

  // What holds up the ranks of waits that have lasted for the limit, which count as told from now
  // on. {}: none has, or nothing that is recorded holds it up.
  std::optional<detect::Verdict> explain(std::span<const record::Snapshot> ranks,
                                         const detect::Parameters& parameters,
                                         const detect::Ledger* ledger, std::int64_t now_ns);

 private:
  struct Wait {
    int rank = 0;
    std::int64_t tid = 0;
    std::int64_t since_ns = 0;
    auto operator<=>(const Wait&) const = default;
  };
  std::vector<Wait> waits(std::span<const record::Snapshot> ranks, std::int64_t before_ns) const;

  Duration limit_;
  Duration pause_;
  std::int64_t next_ns_ = 0;
  std::set<Wait> told_;
};

// The ranks as an explanation needs them. Those that wait since before `before_ns` have no threads
// that go on; the others, and those whose main thread goes on, are marked.
std::vector<record::Snapshot> who_goes_on(std::span<const record::Snapshot> ranks,
                                          std::int64_t before_ns);

// "Ranks 2, 3 go on; calls of ranks 0, 1 have lasted for 37.5 s."
std::string sentence_on_long_waits(std::span<const record::Snapshot> marked, std::int64_t before_ns,
                                   std::int64_t now_ns);

}  // namespace gridlock::run
