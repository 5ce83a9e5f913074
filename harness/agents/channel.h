// A connection to another agent: whole messages in both directions, and regular beats from a
// separate thread, so that the other side hears from us while we are busy with something else.
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

// How often an agent sends a beat, and after how many beats of silence it counts as lost. A cut
// cable shows only as silence; a closed connection is noticed at once.
constexpr int kMostMissed = 8;
constexpr Duration kBeat = kSilenceBound / kMostMissed;

// The longest message holds a black box and little more.
constexpr std::size_t kMessageBound = std::size_t{256} << 20U;

class Channel {
 public:
  Channel() = default;
  // `socket` is connected; the channel makes it non-blocking.
  explicit Channel(FileDescriptor socket);
  Channel(Channel&& other) = delete;

  int descriptor() const { return socket_.get(); }

  // Sends a message.
  //   Blocks   while the other side does not take it, at most run::kSilenceBound
  void send(std::string_view message);
  // The next message if all of it is there; nothing otherwise.
  std::optional<std::string> receive();
  // Blocks   until a message is there, or the other side is lost
  std::optional<std::string> wait();

  // Sends a beat if that needs no waiting, and counts one beat of silence of the other side. While
  // this machine stands still nothing is counted, so a pause here makes no other agent seem lost.
  // Called by the thread that beats.
  void beat();

  // Why nothing more can be sent or received, for example "its connection was closed"; "" while the
  // channel works.
  const std::string& lost() const { return lost_; }
  // Takes in what has come meanwhile, and checks whether the other side is lost.
  void check();
  // Treats the other side as lost, because it cannot be understood.
  void give_up(const std::string& why);

 private:
  void read_all();
  void lose(std::string why);
  bool is_silent() const;

  FileDescriptor socket_;
  std::mutex sending_;
  std::atomic<int> missed_ = 0;  // our own beats since the other side was last heard from
  std::string received_;
  std::size_t begun_ = 0;  // bytes of `received_` that were handed out
  std::string lost_;
};

}  // namespace gridlock::agents
