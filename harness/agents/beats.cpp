// Runs the thread that beats. It takes no signals.
#include "harness/agents/beats.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace gridlock::agents {

Beats::Beats(std::vector<Channel*> channels) : channels_(std::move(channels)) {
  // Only the main thread takes signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Beats::~Beats() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Beats::run() {
  pthread_setname_np(pthread_self(), "gridlock-beats");
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kBeat, [this] { return ends_; })) {
    for (Channel* channel : channels_) channel->beat();
  }
}

}  // namespace gridlock::agents
