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

// As some of MPICH's own libraries do.
void calls_by_the_names_for_tools() {
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request;
  PMPI_Isend(&g_out, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
  MPI_Recv(&g_in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  PMPI_Recv(&g_in, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The first two end.
void tests_for_all() {
  MPI_Request three[3];
  receive(0, 7, &three[0]);
  send(7, &three[1]);
  receive(0, 8, &three[2]);
  for (int ended = 0; ended == 0;) MPI_Testall(3, three, &ended, MPI_STATUSES_IGNORE);
}

void tests_for_any() {
  MPI_Request both[2];
  receive(0, 7, &both[0]);
  receive(0, 8, &both[1]);
  int index = 0;
  for (int ended = 0; ended == 0;) MPI_Testany(2, both, &index, &ended, MPI_STATUS_IGNORE);
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

void is_refused() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv(&g_in, -1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&g_out, 1, MPI_INT, -9, 7, MPI_COMM_WORLD);
  MPI_Irecv(&g_in, 1, MPI_INT, 0, -9, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Of the world, which MPI refuses, and of another.
void frees() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_free(&world);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &child);
  MPI_Comm_set_name(child, "child");
  MPI_Comm_free(&child);
  // The program waits, so that its world is still open.
  MPI_Recv(&g_in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int free_inner(MPI_Comm, int, void* inner, void*) {
  return MPI_Comm_free(static_cast<MPI_Comm*>(inner));
}

// A library's communicator is freed by a callback. The next communicators, which are not recorded,
// get its handle.
void frees_in_a_callback() {
  static MPI_Comm inner = MPI_COMM_NULL;
  const auto free_two = [] {
    MPI_Comm outer = MPI_COMM_NULL;
    int key = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    MPI_Comm_dup(MPI_COMM_WORLD, &inner);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, nullptr);
    MPI_Comm_set_attr(outer, key, &inner);
    MPI_Comm_free(&outer);
  };
  const int one = 1;
  const int no = 0;
  MPI_Comm made[4];
  free_two();
  for (MPI_Comm& line : made) MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &no, 0, &line);
  for (const MPI_Comm line : made) MPI_Barrier(line);
  free_two();
  for (MPI_Comm& copy : made) {
    copy = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (const MPI_Comm copy : made) MPI_Barrier(copy);
}

// The receive ends when the entry of its communicator has another user.
void outlives_its_communicator() {
  constexpr int kEntries = 256;
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm next = MPI_COMM_NULL;
  MPI_Request both[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Irecv(&g_in, 1, MPI_INT, MPI_ANY_SOURCE, 7, first, &both[0]);
  MPI_Isend(&g_out, 1, MPI_INT, 0, 7, first, &both[1]);
  MPI_Comm_free(&first);
  for (int i = 0; i < kEntries; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &next);
    if (i < kEntries - 1) MPI_Comm_free(&next);
  }
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
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
      {"calls_by_the_names_for_tools", calls_by_the_names_for_tools},
      {"tests_for_all", tests_for_all},
      {"tests_for_any", tests_for_any},
      {"waits_for_a_persistent_one_too", waits_for_a_persistent_one_too},
      {"overlapping_receives", overlapping_receives},
      {"more_requests_than_fit", more_requests_than_fit},
      {"goes_on_after_an_error", goes_on_after_an_error},
      {"is_refused", is_refused},
      {"frees", frees},
      {"frees_in_a_callback", frees_in_a_callback},
      {"outlives_its_communicator", outlives_its_communicator},
      {"many_messages", many_messages},
  };
  const auto part = parts.find(argc > 1 ? argv[1] : "");
  if (part == parts.end()) return 2;
  MPI_Init(&argc, &argv);
  part->second();
  MPI_Finalize();
  return 0;
}
