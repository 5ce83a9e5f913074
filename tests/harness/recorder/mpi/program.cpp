// Small MPI programs of one rank, as a user would write them; they know nothing of the recorder.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>

namespace {

int g_out = 1;
int g_in = 0;

void send(int tag, MPI_Request* request) {
  MPI_Isend(&g_out, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, request);
}
void receive(int peer, int tag, MPI_Request* request) {
  MPI_Irecv(&g_in, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, request);
}

void everything() {
  MPI_Allreduce(&g_out, &g_in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request both[2];
  receive(0, 7, &both[0]);
  send(7, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(&g_out, 1, MPI_INT, 0, 8, &g_in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  receive(MPI_ANY_SOURCE, 7, &both[0]);
  send(7, &both[1]);
  int index = 0;
  MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
  int flag = 0;
  while (flag == 0) MPI_Testall(2, both, &flag, MPI_STATUSES_IGNORE);
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &child);
  MPI_Comm_set_name(child, "child");
  MPI_Barrier(child);
  MPI_Comm_free(&child);
  MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &child);
  MPI_Request barrier;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  // Calls with MPI_IN_PLACE, in which the type of the other buffer has no meaning.
  MPI_Scatter(&g_out, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, &g_in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

void sends_to_itself() { MPI_Ssend(&g_out, 1, MPI_INT, 0, 7, MPI_COMM_WORLD); }

void receives_anything() {
  MPI_Recv(&g_in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void waits_for_any() {
  MPI_Request both[2];
  receive(0, 7, &both[0]);
  receive(0, 8, &both[1]);
  int index = 0;
  MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
}

void waits_for_a_persistent_one_too() {
  MPI_Request both[2];
  MPI_Recv_init(&g_in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &both[0]);
  MPI_Start(&both[0]);
  receive(0, 8, &both[1]);
  int index = 0;
  MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
}

void overlapping_receives() {
  MPI_Request both[2];
  receive(MPI_ANY_SOURCE, MPI_ANY_TAG, &both[0]);
  receive(0, 8, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

void more_requests_than_fit() {
  constexpr int kMany = 200;
  MPI_Request all[kMany];
  for (int i = 0; i < kMany; ++i) receive(0, i, &all[i]);
  MPI_Waitall(kMany, all, MPI_STATUSES_IGNORE);
}

void goes_on_after_an_error() {
  constexpr int kNobody = 5;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Send(&g_out, 1, MPI_INT, kNobody, 7, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

void many_messages() {
  constexpr int kMany = 10000;
  for (int i = 0; i < kMany; ++i) {
    MPI_Request both[2];
    receive(0, i % 5, &both[0]);
    send(i % 5, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, void (*)()> parts = {
      {"everything", everything},
      {"sends_to_itself", sends_to_itself},
      {"receives_anything", receives_anything},
      {"waits_for_any", waits_for_any},
      {"waits_for_a_persistent_one_too", waits_for_a_persistent_one_too},
      {"overlapping_receives", overlapping_receives},
      {"more_requests_than_fit", more_requests_than_fit},
      {"goes_on_after_an_error", goes_on_after_an_error},
      {"many_messages", many_messages},
  };
  const auto part = parts.find(argc > 1 ? argv[1] : "");
  if (part == parts.end()) return 2;
  MPI_Init(&argc, &argv);
  part->second();
  MPI_Finalize();
  return 0;
}
