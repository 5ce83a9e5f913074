// Unique ids, and the rendezvous over NCCL_COMM_ID=host:port: rank 0 listens there while it makes
// the communicator, and tells every rank that connects where the segment is.
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "sim/nccl/api/log.h"
#include "sim/nccl/members/init.h"

namespace sim::nccl {
namespace {

constexpr std::uint64_t kAddressMagic = 0x6464'615f'6d6d'6f63;
constexpr int kRetryMs = 20;

struct Address {
  sockaddr_storage storage;
  socklen_t length;
};

ncclResult_t look_up(const std::string& text, Address* address) {
  const std::size_t colon = text.rfind(':');
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const bool complete = colon != std::string::npos && colon > 0 && colon + 1 < text.size();
  const int error = complete ? getaddrinfo(text.substr(0, colon).c_str(),
                                           text.substr(colon + 1).c_str(), &hints, &found)
                             : EAI_NONAME;
  if (error != 0) {
    return fail(ncclInvalidArgument, "NCCL_COMM_ID=%s is not <host>:<port>: %s", text.c_str(),
                gai_strerror(error));
  }
  std::memcpy(&address->storage, found->ai_addr, found->ai_addrlen);
  address->length = found->ai_addrlen;
  freeaddrinfo(found);
  return ncclSuccess;
}

const sockaddr* plain(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
}

bool send_all(int connection, const SegmentId& id) {
  return send(connection, &id, sizeof id, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof id);
}

// Serves the other ranks, then closes. Ends early if the communicator is gone or aborted.
void serve(int listener, SegmentId id, int others, const std::weak_ptr<Communicator>& owner) {
  pthread_setname_np(pthread_self(), "sim-init");
  while (others > 0) {
    pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, kRetryMs);
    const auto communicator = owner.lock();
    if (communicator == nullptr || communicator->aborted()) break;
    if (ready <= 0) continue;
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    // As soon as the last rank has the id, rank 0 may listen here for its next communicator.
    const bool is_last = others == 1;
    if (is_last) ::close(listener);
    const bool is_sent = send_all(connection, id);
    ::close(connection);
    if (is_last) return;
    if (is_sent) --others;
  }
  ::close(listener);
}

ncclResult_t listen_at(const std::string& text, const Address& address, Communicator& c,
                       SegmentId* segment) {
  const int listener = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener, plain(address), address.length) != 0 || listen(listener, SOMAXCONN) != 0) {
    const int error = errno;
    if (listener >= 0) ::close(listener);
    return fail(ncclSystemError, "rank 0 cannot listen at NCCL_COMM_ID=%s: %s", text.c_str(),
                std::strerror(error));
  }
  if (const ncclResult_t made = make_segment(segment); made != ncclSuccess) {
    ::close(listener);
    return made;
  }
  std::thread(serve, listener, *segment, c.ranks() - 1, c.weak_from_this()).detach();
  return ncclSuccess;
}

// Asks once. Returns whether it got `segment`; sets `alien` if something else answered.
bool ask(const Address& address, const Communicator& c, SegmentId* segment, bool* alien) {
  const int connection = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return false;
  std::size_t got = 0;
  if (connect(connection, plain(address), address.length) == 0) {
    while (got < sizeof *segment && !c.aborted()) {
      pollfd waiting{.fd = connection, .events = POLLIN, .revents = 0};
      if (poll(&waiting, 1, kRetryMs) <= 0) continue;
      const ssize_t more =
          recv(connection, reinterpret_cast<char*>(segment) + got, sizeof *segment - got, 0);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
  }
  ::close(connection);
  *alien = got > 0 && segment->magic != kMagic;
  return got == sizeof *segment && !*alien;
}

}  // namespace

ncclUniqueId pack(const SegmentId& id) {
  ncclUniqueId packed{};
  static_assert(sizeof id <= sizeof packed.internal);
  std::memcpy(packed.internal, &id, sizeof id);
  return packed;
}

ncclResult_t resolve(const ncclUniqueId& id, Communicator& c, SegmentId* segment) {
  std::memcpy(segment, id.internal, sizeof *segment);
  if (segment->magic == kMagic) return ncclSuccess;
  if (segment->magic != kAddressMagic) {
    // NCCL takes it for an address of no known family (src/misc/socket.cc).
    return fail(ncclInternalError, "the unique id was not made by ncclGetUniqueId");
  }
  const std::string text(id.internal + sizeof kAddressMagic);
  Address address{};
  if (const ncclResult_t found = look_up(text, &address); found != ncclSuccess) return found;
  if (c.rank() == 0) return listen_at(text, address, c, segment);
  bool alien = false;
  while (!ask(address, c, segment, &alien)) {
    if (c.aborted()) return ncclInternalError;
    if (alien) {
      return fail(ncclSystemError, "what answers at NCCL_COMM_ID=%s is not rank 0", text.c_str());
    }
    poll(nullptr, 0, kRetryMs);
  }
  return ncclSuccess;
}

ncclResult_t make_unique_id(ncclUniqueId* id) {
  const char* address = std::getenv("NCCL_COMM_ID");
  if (address == nullptr) {
    SegmentId segment{};
    const ncclResult_t made = make_segment(&segment);
    if (made == ncclSuccess) *id = pack(segment);
    return made;
  }
  Address unused{};
  if (const ncclResult_t found = look_up(address, &unused); found != ncclSuccess) return found;
  if (std::strlen(address) + sizeof kAddressMagic >= sizeof id->internal) {
    return fail(ncclInvalidArgument, "NCCL_COMM_ID is too long: %s", address);
  }
  *id = {};
  std::memcpy(id->internal, &kAddressMagic, sizeof kAddressMagic);
  std::memcpy(id->internal + sizeof kAddressMagic, address, std::strlen(address));
  return ncclSuccess;
}

}  // namespace sim::nccl
