// A connection to another agent. It carries whole messages in both directions. A thread of its own
// sends a beat now and then, so that the other side hears from us while we are busy.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/file_descriptor.h"
#include "harness/base/limits.h"

namespace gridlock::agents {

using namespace std::chrono_literals;

// How often an agent lets hear of itself, and after how much silence it counts as lost. A cut cable
// says nothing, so silence is all there is; a connection that is closed is known at once.
constexpr int kMostMissed = 8;
constexpr Duration kBeat = kSilenceBound / kMostMissed;

// A message is a black box at most, and some.
constexpr std::size_t kMessageBound = std::size_t{256} << 20U;

class Channel {
 public:
  Channel() = default;
  // `socket`: connected; it will not block.
  explicit Channel(FileDescriptor socket);
  Channel(Channel&& other) = delete;

  int descriptor() const { return socket_.get(); }

  // Sends a message.
  //   Blocks   while the other side does not take it, at most run::kSilenceBound
  void send(std::string_view message);
  // The next message if it is there whole; nothing otherwise.
  std::optional<std::string> receive();
  // Blocks   until a message is there, or the other side is lost
  std::optional<std::string> wait();

  // A beat, if that can be done without waiting; and the measure of time here: where this machine
  // stands still, nobody misses the others. Called by the thread that beats.
  void beat();

  // Why nothing more can be sent or received, "its connection was closed" for example; "": it can.
  // Nothing is sent or received after that.
  const std::string& lost() const { return lost_; }
  // Looks whether it is lost, taking in what has come meanwhile.
  void check();
  // Takes it for lost: the other side cannot be understood.
  void give_up(const std::string& why);

 private:
  void read_all();
  void lose(std::string why);
  bool is_silent() const;

  FileDescriptor socket_;
  std::mutex sending_;
  std::atomic<int> missed_ = 0;  // beats of our own since the other side was heard of
  std::string received_;
  std::size_t begun_ = 0;  // of `received_`, what was handed out
  std::string lost_;
};

}  // namespace gridlock::agents
