// Names what the program is doing: an NVTX range, which the black box keeps with each call.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace gridlock {

// A verdict quotes the innermost label, so a label names the place and not the time: "buffers/
// broadcast", not "step 7". Leaving the scope only pops this thread's range.
class Label {
 public:
  explicit Label(const char* name) { nvtxRangePushA(name); }
  ~Label() { nvtxRangePop(); }
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;
};

}  // namespace gridlock
