// A name for what the program is doing: an NVTX range, which the black box keeps beside each call.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace gridlock {

// The innermost label is what a verdict quotes, so it says the place and not the time: "buffers/
// broadcast", not "step 7". Leaving the scope only pops this thread's range.
class Label {
 public:
  explicit Label(const char* name) { nvtxRangePushA(name); }
  ~Label() { nvtxRangePop(); }
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;
};

}  // namespace gridlock
