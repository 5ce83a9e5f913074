// User objects: a destructor from the program, called when nothing refers to the object any more.
#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/graphs/graph.h"

namespace sim {
namespace {

std::unordered_set<const void*>& objects() {
  static auto& value = *new std::unordered_set<const void*>;
  return value;
}

// REQUIRES: graph_mutex is held. The destructor may be called under it, because it must not call
// CUDA.
void release(UserObject* object, std::uint64_t count) {
  object->references -= count;
  if (object->references != 0) return;
  objects().erase(object);
  object->destroy(object->argument);
  delete object;
}

}  // namespace

UserObject* find_object(cudaUserObject_t handle) {
  return objects().contains(handle) ? reinterpret_cast<UserObject*>(handle) : nullptr;
}

Kept::Kept(const Kept& other) {
  const std::lock_guard lock(graph_mutex());
  for (const auto& [object, count] : other.objects_) add(object, 1);
}

Kept::~Kept() {
  const std::lock_guard lock(graph_mutex());
  for (const auto& [object, count] : objects_) release(object, count);
}

void Kept::add(UserObject* object, std::uint64_t count) {
  object->references += count;
  const auto found =
      std::ranges::find(objects_, object, [](const auto& kept) { return kept.first; });
  if (found == objects_.end()) {
    objects_.emplace_back(object, count);
  } else {
    found->second += count;
  }
}

bool Kept::remove(UserObject* object, std::uint64_t count) {
  const auto found =
      std::ranges::find(objects_, object, [](const auto& kept) { return kept.first; });
  if (found == objects_.end() || found->second < count) return false;
  found->second -= count;
  if (found->second == 0) objects_.erase(found);
  release(object, count);
  return true;
}

}  // namespace sim

namespace {

// Applies `body` to the object that `handle` means.
template <class Body>
cudaError_t with_object(cudaUserObject_t handle, unsigned int count, Body body) {
  return sim::api([&] {
    const std::lock_guard lock(sim::graph_mutex());
    sim::UserObject* object = sim::find_object(handle);
    return object == nullptr || count == 0 ? cudaErrorInvalidValue : body(*object);
  });
}

}  // namespace

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
  return sim::api([&] {
    if (object_out == nullptr || destroy == nullptr || initialRefcount == 0 ||
        flags != cudaUserObjectNoDestructorSync) {
      return cudaErrorInvalidValue;
    }
    auto* object = new sim::UserObject{ptr, destroy, initialRefcount};
    const std::lock_guard lock(sim::graph_mutex());
    sim::objects().insert(object);
    *object_out = reinterpret_cast<cudaUserObject_t>(object);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return with_object(object, count, [&](sim::UserObject& found) {
    found.references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return with_object(object, count, [&](sim::UserObject& found) {
    if (found.references < count) return cudaErrorInvalidValue;
    sim::release(&found, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
  return with_object(object, count, [&](sim::UserObject& found) {
    sim::Graph* owner = sim::find_graph(graph);
    if (owner == nullptr || (flags & ~static_cast<unsigned int>(cudaGraphUserObjectMove)) != 0) {
      return cudaErrorInvalidValue;
    }
    const bool moves = (flags & cudaGraphUserObjectMove) != 0;
    if (moves && found.references < count) return cudaErrorInvalidValue;
    owner->kept.add(&found, count);
    if (moves) sim::release(&found, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
  return with_object(object, count, [&](sim::UserObject& found) {
    sim::Graph* owner = sim::find_graph(graph);
    return owner != nullptr && owner->kept.remove(&found, count) ? cudaSuccess
                                                                 : cudaErrorInvalidValue;
  });
}
