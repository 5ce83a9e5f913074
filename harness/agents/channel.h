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

// The longest message is slightly longer than a black box.
constexpr std::size_t kMessageBound = std::size_t{256} << 20U;

class Channel {
 public:
  Channel() = default;
  // `socket` is connected; the channel makes it non-blocking.
  explicit Channel(FileDescriptor socket);
  Channel(Channel&& other) = delete;

  int descriptor() const { return socket_.get(); }

  // Sends a message.
  //   Blocks   until the other side takes it, at most run::kSilenceBound
  void send(std::string_view message);
  // The next message, if it has arrived in full.
  std::optional<std::string> receive();
  // Blocks   until a message is there, or the other side is lost
  std::optional<std::string> wait();

  // Sends a beat if it need not wait, and counts one beat of the other side's silence. While this
  // machine stands still, it counts nothing, so a pause here makes no other agent seem lost. The
  // beats thread calls it.
  void beat();

  // Why nothing more can be sent or received, for example "its connection was closed"; "" while the
  // channel works.
  const std::string& lost() const { return lost_; }
  // Reads what has arrived, and checks whether the other side is lost.
  void check();
  // Treats the other side as lost, because its messages make no sense.
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
