// A program that was built for the other MPI.
extern "C" {
void* world_of_other_mpi();
int MPI_Init(int* count, char*** arguments);
int MPI_Barrier(void* communicator);
int MPI_Sendrecv(const void* send, int count, void* type, int peer, int tag, void* in, int room,
                 void* in_type, int source, int in_tag, void* communicator, void* status);
}

int main() {
  void* world = world_of_other_mpi();
  if (MPI_Init(nullptr, nullptr) != 0) return 1;
  if (MPI_Barrier(world) != 0) return 2;
  return MPI_Sendrecv(world, 1, world, -2, 3, world, 4, world, -5, 6, world, nullptr) == 0 ? 0 : 3;
}
