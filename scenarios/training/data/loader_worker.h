// A data-loader worker: a real process that reads requests from one pipe and answers on another.
#pragma once

#include <sys/types.h>

namespace gridlock {

// What a worker meets at one of its requests.
enum class Storage {
  works,
  hangs,  // the read never returns, as from a mount that is gone
  slow,   // it takes some milliseconds
};

class LoaderWorker {
 public:
  // Starts the worker. It dies with the thread that started it. From request `at` on, it meets
  // `storage`.
  //   Errors  std::system_error if no pipe or process can be created
  explicit LoaderWorker(Storage storage = Storage::works, int at = 0);
  LoaderWorker(const LoaderWorker&) = delete;
  LoaderWorker& operator=(const LoaderWorker&) = delete;
  ~LoaderWorker();  // closes the pipes, which ends a healthy worker

  // Asks for sample `index` and waits for the answer.
  //   Blocks  in a plain read of the pipe until the worker answers; at most for `timeout_ms`, if
  //           that is not negative
  //   Errors  std::runtime_error if the worker has gone, or the time is over
  int fetch(int index, int timeout_ms = -1);

  pid_t pid() const { return pid_; }

 private:
  int request_ = -1;
  int answer_ = -1;
  int dead_storage_ = -1;  // the end that nobody writes to
  pid_t pid_ = -1;
};

}  // namespace gridlock
