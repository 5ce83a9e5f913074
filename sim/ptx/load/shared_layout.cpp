// Places shared variables behind each other only where one kernel has both.
#include "sim/ptx/load/shared_layout.h"

#include <algorithm>

namespace sim::ptx {
namespace {

// The variables that the entry's calls lead to.
std::vector<bool> reached(const std::vector<SharedUse>& functions, std::uint32_t entry,
                          const std::vector<std::uint32_t>& taken, std::size_t variables) {
  std::vector<bool> seen(functions.size());
  std::vector<bool> found(variables);
  std::vector<std::uint32_t> left{entry};
  seen[entry] = true;
  bool indirect = false;
  const auto visit = [&](std::uint32_t function) {
    if (!seen[function]) left.push_back(function);
    seen[function] = true;
  };
  while (!left.empty()) {
    const SharedUse& use = functions[left.back()];
    left.pop_back();
    for (const std::uint32_t variable : use.variables) found[variable] = true;
    for (const std::uint32_t called : use.calls) visit(called);
    if (use.indirect && !indirect) {
      indirect = true;
      for (const std::uint32_t function : taken) visit(function);
    }
  }
  return found;
}

}  // namespace

void lay_out_shared(std::vector<SharedVariable>& variables, std::vector<SharedUse>& functions,
                    const std::vector<std::uint32_t>& taken) {
  std::vector<std::vector<bool>> has;  // by entry
  std::vector<std::uint32_t> entries;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    if (!functions[f].entry) continue;
    entries.push_back(f);
    has.push_back(reached(functions, f, taken, variables.size()));
  }
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    SharedVariable& variable = variables[v];
    // After all variables placed so far that share an entry with it.
    std::uint64_t end = 0;
    for (std::uint32_t other = 0; other < v; ++other) {
      for (const std::vector<bool>& in : has) {
        if (in[v] && in[other]) {
          end = std::max(end, variables[other].offset + variables[other].bytes);
          break;
        }
      }
    }
    variable.offset = (end + variable.align - 1) / variable.align * variable.align;
  }
  for (std::size_t e = 0; e < entries.size(); ++e) {
    for (std::uint32_t v = 0; v < variables.size(); ++v) {
      if (!has[e][v]) continue;
      std::uint64_t& bytes = functions[entries[e]].bytes;
      bytes = std::max(bytes, variables[v].offset + variables[v].bytes);
    }
  }
}

}  // namespace sim::ptx
