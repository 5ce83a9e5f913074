// An MPI whose handles are pointers, as in Open MPI. It must get exactly what the program passed.
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

const char* g_world = "a communicator";

}  // namespace

extern "C" [[gnu::visibility("default")]] void* world_of_other_mpi() { return &g_world; }

extern "C" [[gnu::visibility("default")]] int PMPI_Get_library_version(char* text, int* length) {
  constexpr char kVersion[] = "Open MPI v4.1.4, package: of a test\n";
  std::memcpy(text, kVersion, sizeof kVersion);
  *length = sizeof kVersion - 1;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int PMPI_Init(int* /*unused*/, char*** /*unused*/) {
  return 0;
}
extern "C" [[gnu::visibility("default")]] int PMPI_Barrier(void* communicator) {
  return communicator == &g_world ? 0 : 1;
}
extern "C" [[gnu::visibility("default")]] int PMPI_Sendrecv(const void* send, int count, void* type,
                                                            int peer, int tag, void* in, int room,
                                                            void* in_type, int source, int in_tag,
                                                            void* communicator, void* status) {
  const bool right = send == &g_world && count == 1 && type == &g_world && peer == -2 && tag == 3 &&
                     in == &g_world && room == 4 && in_type == &g_world && source == -5 &&
                     in_tag == 6 && communicator == &g_world && status == nullptr;
  return right ? 0 : 1;
}

extern "C" {
[[gnu::weak, gnu::alias("PMPI_Init")]] int MPI_Init(int* count, char*** arguments);
[[gnu::weak, gnu::alias("PMPI_Barrier")]] int MPI_Barrier(void* communicator);
[[gnu::weak, gnu::alias("PMPI_Sendrecv")]] int MPI_Sendrecv(const void* send, int count, void* type,
                                                            int peer, int tag, void* in, int room,
                                                            void* in_type, int source, int in_tag,
                                                            void* communicator, void* status);
}
