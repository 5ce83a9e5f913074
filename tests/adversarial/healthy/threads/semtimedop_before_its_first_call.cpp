// The checkpoint thread, which has been silent so far, waits for a slot of a disk's (semtimedop)
// for 2.5 s before its first call.
// Naive view: a thread that was silent so far stays silent.
// Expected: completes.
#include <sys/ipc.h>
#include <sys/sem.h>

#include <ctime>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    const int slots = semget(IPC_PRIVATE, 1, 0600);
    sembuf take{.sem_num = 0, .sem_op = -1, .sem_flg = 0};
    const timespec limit{.tv_sec = 2, .tv_nsec = 500'000'000};
    semtimedop(slots, &take, 1, &limit);
    semctl(slots, 0, IPC_RMID);
  });
}
