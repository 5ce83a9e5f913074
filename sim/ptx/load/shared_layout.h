// Where shared variables lie. A kernel has the variables that it or its callees name. Two variables
// may lie in the same place if no kernel has both.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::ptx {

struct SharedVariable {
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  std::uint64_t offset = 0;  // the answer
};

struct SharedUse {
  std::vector<std::uint32_t> variables;  // that a function names
  std::vector<std::uint32_t> calls;      // functions that it calls or whose address it takes
  bool indirect = false;                 // it calls what it does not name
  bool entry = false;
  std::uint64_t bytes = 0;  // the answer, for an entry: its variables end here
};

// `taken`: functions whose address lies in a variable, which indirect calls may reach.
void lay_out_shared(std::vector<SharedVariable>& variables, std::vector<SharedUse>& functions,
                    const std::vector<std::uint32_t>& taken);

}  // namespace sim::ptx
