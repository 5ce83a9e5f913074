// The NVTX ranges that a thread is in, innermost last, as fixed texts.
#pragma once

#include "harness/record/snapshot.h"

namespace gridlock::recorder {

class Labels {
 public:
  void push(const char* text) {
    record::Label& label = labels_[depth_ < kDepth ? depth_ : kDepth - 1];
    std::size_t size = 0;
    if (text != nullptr) {
      while (size < sizeof label - 1 && text[size] != '\0') {
        label.bytes[size] = text[size];
        ++size;
      }
    }
    label.bytes[size] = '\0';
    ++depth_;
  }
  void pop() {
    if (depth_ > 0) --depth_;
  }
  // The innermost label; empty outside all ranges. Beyond a depth of kDepth, only the last one
  // pushed is known.
  const record::Label& current() const {
    static constexpr record::Label kNoLabel;
    return depth_ == 0 ? kNoLabel : labels_[depth_ < kDepth ? depth_ - 1 : kDepth - 1];
  }

 private:
  static constexpr int kDepth = 16;
  record::Label labels_[kDepth];
  int depth_ = 0;
};

}  // namespace gridlock::recorder
