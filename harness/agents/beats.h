// The thread that sends this agent's beats.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/agents/channel.h"

namespace gridlock::agents {

// Sends a beat on all channels every kBeat as long as it lives. The channels must outlive it.
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
