// Compares the same variants on our own NCCL and on the real one. If they differ and the variant
// does not declare it, our NCCL or the declaration is wrong.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

enum class Agreement {
  same,
  declared,    // another end, which the variant accepts from the real NCCL
  undeclared,  // another outcome, cause or culprit than the variant accepts
  only_own,    // not run on the real NCCL, or skipped there
  only_real,
};

// How a variant ended on one side, over its repetitions.
struct ParityEnd {
  std::string end;    // "deadlock (rank_exited), rank 3", or why there is no verdict
  std::string where;  // "ranks 0-2: all_reduce, host in stream_synchronize"; "" if it did not hang
  std::string hang_ms;  // medians; "-" if there is none
  std::string detect_ms;
  std::string log_lines;  // that NCCL wrote, on all ranks together
};

struct ParityRow {
  std::string name;  // scenario/variant
  int ranks = 0;
  ParityEnd own;
  ParityEnd real;
  Agreement agreement = Agreement::same;
};

// One row per variant and number of ranks that either session has. If the two differ, every run on
// the real NCCL must have ended as declared, with an outcome that its variant accepts.
std::vector<ParityRow> parity(const Results& own, const Results& real);

struct ParitySummary {
  int same = 0;
  int declared = 0;
  int undeclared = 0;
  int only_one = 0;
};
ParitySummary summarise(const std::vector<ParityRow>& rows);

// "own NCCL", "NCCL 2.28.9", "cuda": what a session is called in the heads of the tables.
std::string side_of(const Context& context);

// Tables with a sentence of the sums. Rows that are the same on both sides are left out unless
// `all` asks for them; the Markdown also says who waits where.
struct ParityTable {
  std::vector<ParityRow> rows;
  std::string own;  // side_of()
  std::string real;
  bool all = false;
};
std::string parity_text(const ParityTable& table);
std::string parity_markdown(const ParityTable& table);
std::string parity_json(const ParityTable& table);

}  // namespace gridlock::report
