// An attribute of MPI's whose functions send rank 1 a message, after a second of work.
#pragma once

#include "tests/adversarial/setup/mpi.h"

inline void work_and_send() {
  const Deadline end = in_ms(1000);
  while (!end.is_over()) {
  }
  send(1);
}

inline int copy_and_send(MPI_Comm, int, void*, void*, void*, int* flag) {
  work_and_send();
  *flag = 0;
  return MPI_SUCCESS;
}
inline int delete_and_send(MPI_Comm communicator, int, void*, void*) {
  if (communicator == MPI_COMM_SELF) work_and_send();
  return MPI_SUCCESS;
}

inline void set_attribute(MPI_Comm communicator) {
  int key = 0;
  MPI_Comm_create_keyval(copy_and_send, delete_and_send, &key, nullptr);
  MPI_Comm_set_attr(communicator, key, nullptr);
}
