// A data-loader worker: a real process that gets its requests over a pipe and answers over another.
#pragma once

#include <sys/types.h>

namespace gridlock {

// What a worker meets at one of its requests.
enum class Storage {
  works,
  hangs,  // the read of the sample never returns: a mount that is gone
  slow,   // it takes some milliseconds
};

class LoaderWorker {
 public:
  // Starts the worker. It dies with the thread that made it. From request `at` on it meets
  // `storage`.
  //   Errors  std::system_error when there is no pipe or no process to be had
  explicit LoaderWorker(Storage storage = Storage::works, int at = 0);
  LoaderWorker(const LoaderWorker&) = delete;
  LoaderWorker& operator=(const LoaderWorker&) = delete;
  ~LoaderWorker();  // closes the pipes, at which a worker that works ends

  // Asks for sample `index` and waits for the answer.
  //   Blocks  as long as the worker does, in a plain read of its pipe; at most for `timeout_ms`,
  //           where that is not negative
  //   Errors  std::runtime_error when the worker has gone, or the time is over
  int fetch(int index, int timeout_ms = -1);

  pid_t pid() const { return pid_; }

 private:
  int request_ = -1;
  int answer_ = -1;
  int dead_storage_ = -1;  // the end that nobody writes to
  pid_t pid_ = -1;
};

}  // namespace gridlock
