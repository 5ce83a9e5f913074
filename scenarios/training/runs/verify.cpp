// Compares parameters between ranks and with the reference.
#include "scenarios/training/runs/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gridlock {
namespace {

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// FNV-1a. Exchanging hashes keeps the messages small with hundreds of ranks.
std::uint64_t hash_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }
  return hash;
}

double largest_difference(const std::vector<float>& mine, const std::vector<double>& reference) {
  double largest = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const double difference = std::abs(static_cast<double>(mine[i]) - reference[i]);
    if (!(difference <= largest)) largest = difference;  // a NaN stays
  }
  return largest;
}

struct Range {
  double low;
  double high;
};

Range range_over_ranks(Rank& rank, double mine) {
  Range range{mine, mine};
  for (const std::string& text : rank.rendezvous().exchange(fmt::format("{:.17g}", mine))) {
    range.low = std::min(range.low, std::stod(text));
    range.high = std::max(range.high, std::stod(text));
  }
  return range;
}

}  // namespace

void verify_training(Trainer& trainer, int steps, const Plan& plan, double tolerance) {
  Rank& rank = trainer.rank();
  const std::vector<float> mine = trainer.module().parameters().on_host(rank.stream());
  const std::string hash = std::to_string(hash_of(bytes_of(mine)));
  const std::vector<std::string> hashes = rank.rendezvous().exchange(hash);

  std::string error;
  if (rank.rank() == 0) {
    std::vector<ReferenceStep> all;
    all.reserve(static_cast<std::size_t>(steps));
    for (int step = 0; step < steps; ++step) all.push_back(plan(step));
    error = fmt::format("{:.17g}",
                        largest_difference(mine, reference_parameters(trainer.options(), all)));
  }
  const double difference = std::stod(rank.rendezvous().exchange(error).front());

  const auto other = std::find_if(hashes.begin(), hashes.end(),
                                  [&](const std::string& each) { return each != hashes[0]; });
  if (other != hashes.end()) {
    rank.report().numbers(
        false, fmt::format("rank {}'s parameters differ from rank 0's", other - hashes.begin()));
  }
  rank.report().figure("max_error", difference);
  rank.report().numbers(difference <= tolerance,
                        fmt::format("max error {:.2g} against the reference (allowed {:.2g})",
                                    difference, tolerance));
}

double spread_over_ranks(Rank& rank, double mine) {
  const auto [low, high] = range_over_ranks(rank, mine);
  return high - low;
}

void report_over_ranks(Rank& rank, const std::string& name, const std::string& unit, double mine) {
  const auto [low, high] = range_over_ranks(rank, mine);
  rank.report().figure(name + unit, mine);
  rank.report().figure(name + "_min" + unit, low);
  rank.report().figure(name + "_max" + unit, high);
}

}  // namespace gridlock
