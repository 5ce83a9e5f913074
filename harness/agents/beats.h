// The thread that shows the other agents that this one is alive.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/agents/channel.h"

namespace gridlock::agents {

// Beats on all channels every kBeat as long as it lives; they must outlive it.
class Beats {
 public:
  explicit Beats(std::vector<Channel*> channels);
  Beats(const Beats&) = delete;
  Beats& operator=(const Beats&) = delete;
  ~Beats();

 private:
  void run();

  std::vector<Channel*> channels_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gridlock::agents
