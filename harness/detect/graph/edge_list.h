// Edges between nodes, few of which have any. One bit per node says whether it has edges; counting
// the bits before it tells where they are.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gridlock::detect {

class EdgeList {
 public:
  void clear() { pairs_.clear(); }
  void add(std::uint32_t from, std::uint32_t to) { pairs_.emplace_back(from, to); }
  // Call after the last add() and before the first targets(). Linear in the edges, and in the nodes
  // divided by 64.
  void sort(std::uint32_t nodes);

  std::span<const std::uint32_t> targets(std::uint32_t node) const {
    if ((words_[node / 64].bits >> (node % 64) & 1U) == 0) return {};
    const std::uint32_t at = rank(node);
    return std::span(targets_).subspan(first_[at], first_[at + 1] - first_[at]);
  }

 private:
  struct Word {
    std::uint64_t bits = 0;    // nodes that have edges
    std::uint32_t before = 0;  // nodes with edges in the words before this one
  };
  std::uint32_t rank(std::uint32_t node) const {
    const Word& word = words_[node / 64];
    const std::uint64_t below = (std::uint64_t{1} << (node % 64)) - 1;
    return word.before + static_cast<std::uint32_t>(std::popcount(word.bits & below));
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> first_;  // in targets_, by rank among the nodes with edges
  std::vector<std::uint32_t> targets_;
};

}  // namespace gridlock::detect
