// The driver's virtual memory calls. An allocation is a memfd. Its descriptor is the shareable
// handle, and it vanishes with the last process that has it. The file's name carries what an
// importing process must know.
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/mappings.h"

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;
constexpr int kHostDevice = -1;  // the device of host memory

// The memory itself, for as long as a handle or a mapping refers to it.
struct Physical {
  int descriptor = -1;
  std::size_t bytes = 0;
  CUmemAllocationProp properties = {};
  bool counted = false;  // against the device's memory

  Physical() = default;
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  ~Physical() {
    if (descriptor >= 0) close(descriptor);
    if (counted) sim::give_back(bytes, properties.location.id);
  }
  int device() const {
    return properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? properties.location.id
                                                                   : kHostDevice;
  }
};

struct Handle {
  std::shared_ptr<Physical> physical;
  unsigned int references = 1;
};

// Never destroyed: streams may still run while the process exits.
struct RangeBook {
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, Handle> handles;
  std::map<CUdeviceptr, std::size_t> reservations;            // by start: bytes
  std::map<CUdeviceptr, std::shared_ptr<Physical>> mapped;    // by start of the mapping
  std::map<CUdeviceptr, CUmemGenericAllocationHandle> names;  // which handle that was
  CUmemGenericAllocationHandle last = 0;

  CUmemGenericAllocationHandle add(std::shared_ptr<Physical> physical) {
    handles.emplace(++last, Handle{std::move(physical), 1});
    return last;
  }
};

RangeBook& range_book() {
  static RangeBook& value = *new RangeBook;
  return value;
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// Applies `body`, with the book locked, if the calling thread may use CUDA.
template <class Body>
CUresult call(Body body) {
  if (const cudaError_t error = sim::admission(); error != cudaSuccess) {
    return static_cast<CUresult>(error);
  }
  const std::lock_guard lock(range_book().mutex);
  return body(range_book());
}

CUresult check(const CUmemAllocationProp* properties) {
  if (properties == nullptr || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUmemLocation& location = properties->location;
  const bool on_device = location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (on_device && !sim::device_exists(location.id)) return CUDA_ERROR_INVALID_DEVICE;
  if (!on_device && (location.type < CU_MEM_LOCATION_TYPE_HOST ||
                     location.type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto kinds = static_cast<unsigned int>(properties->requestedHandleTypes);
  const bool shareable =
      (kinds & ~static_cast<unsigned int>(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)) == 0;
  return shareable ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

// Turns mapped memory back into reserved address space. An access to it faults, as to unmapped
// memory.
bool blank(CUdeviceptr address, std::size_t bytes) {
  return mmap(pointer(address), bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Applies `body` to all mappings in the range. They must fill it.
template <class Body>
CUresult each_in(CUdeviceptr address, std::size_t bytes, Body body) {
  const CUdeviceptr end = address + bytes;
  for (CUdeviceptr at = address; at < end;) {
    sim::Mapping mapping;
    const bool starts_here = sim::find_mapping(pointer(at), mapping) &&
                             mapping.base == pointer(at) && mapping.memory != 0;
    if (!starts_here || mapping.bytes > end - at) return CUDA_ERROR_INVALID_VALUE;
    at += mapping.bytes;
  }
  for (CUdeviceptr at = address; at < end;) {
    sim::Mapping mapping;
    static_cast<void>(sim::find_mapping(pointer(at), mapping));
    body(at, mapping);
    at += mapping.bytes;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
  if (granularity == nullptr || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult error = check(prop);
  if (error == CUDA_SUCCESS) *granularity = kGranularity;
  return error;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop, unsigned long long flags) {
  return call([&](RangeBook& books) {
    if (handle == nullptr || size == 0 || size % kGranularity != 0 || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (const CUresult error = check(prop); error != CUDA_SUCCESS) return error;
    auto physical = std::make_shared<Physical>();
    physical->bytes = size;
    physical->properties = *prop;
    if (physical->device() != kHostDevice) {
      if (!sim::take(size, physical->device())) return CUDA_ERROR_OUT_OF_MEMORY;
      physical->counted = true;
    }
    char name[64];
    std::snprintf(name, sizeof name, "gridlock-sim-memory-%d-%d-%d", prop->location.type,
                  prop->location.id, prop->requestedHandleTypes);
    physical->descriptor = memfd_create(name, MFD_CLOEXEC);
    if (physical->descriptor < 0 ||
        ftruncate(physical->descriptor, static_cast<off_t>(size)) != 0) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = books.add(std::move(physical));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return call([&](RangeBook& books) {
    const auto found = books.handles.find(handle);
    if (found == books.handles.end()) return CUDA_ERROR_INVALID_VALUE;
    if (--found->second.references == 0) books.handles.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  return call([&](RangeBook& books) {
    const std::size_t align = std::max(alignment, kGranularity);
    if (ptr == nullptr || size == 0 || size % kGranularity != 0 || flags != 0 ||
        (align & (align - 1)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    void* space =
        mmap(nullptr, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto begin = reinterpret_cast<CUdeviceptr>(space);
    const CUdeviceptr aligned = (begin + align - 1) / align * align;
    if (aligned > begin) munmap(space, aligned - begin);
    if (begin + align > aligned) munmap(pointer(aligned + size), begin + align - aligned);
    books.reservations.emplace(aligned, size);
    *ptr = aligned;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  return call([&](RangeBook& books) {
    const auto found = books.reservations.find(ptr);
    if (found == books.reservations.end() || found->second != size) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto inside = books.mapped.lower_bound(ptr);
    if (inside != books.mapped.end() && inside->first < ptr + size) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    munmap(pointer(ptr), size);
    books.reservations.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return call([&](RangeBook& books) {
    const auto found = books.handles.find(handle);
    if (found == books.handles.end() || size == 0 || size % kGranularity != 0 || offset != 0 ||
        flags != 0 || size > found->second.physical->bytes) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    auto reserved = books.reservations.upper_bound(ptr);
    if (reserved == books.reservations.begin()) return CUDA_ERROR_INVALID_VALUE;
    --reserved;
    if (ptr + size > reserved->first + reserved->second) return CUDA_ERROR_INVALID_VALUE;
    const auto next = books.mapped.lower_bound(ptr);
    sim::Mapping already;
    if ((next != books.mapped.end() && next->first < ptr + size) ||
        sim::find_mapping(pointer(ptr), already)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const std::shared_ptr<Physical>& physical = found->second.physical;
    if (mmap(pointer(ptr), size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
             physical->descriptor, 0) == MAP_FAILED) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    books.mapped.emplace(ptr, physical);
    books.names.insert_or_assign(ptr, handle);
    sim::add_mapping({.base = pointer(ptr),
                      .bytes = size,
                      .device = physical->device(),
                      .memory = handle,
                      .access = CU_MEM_ACCESS_FLAGS_PROT_NONE});
    return CUDA_SUCCESS;
  });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  return call([&](RangeBook& books) {
    if (size == 0) return CUDA_ERROR_INVALID_VALUE;
    return each_in(ptr, size, [&](CUdeviceptr at, const sim::Mapping& mapping) {
      sim::remove_mapping(mapping.base);
      static_cast<void>(blank(at, mapping.bytes));
      books.mapped.erase(at);
      books.names.erase(at);
    });
  });
}

// All devices and the host share one address space, so the widest access applies to all of them.
CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  return call([&](RangeBook&) {
    if (desc == nullptr || count == 0 || size == 0) return CUDA_ERROR_INVALID_VALUE;
    unsigned int access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    for (std::size_t i = 0; i < count; ++i) {
      if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
          !sim::device_exists(desc[i].location.id)) {
        return CUDA_ERROR_INVALID_DEVICE;
      }
      access |= static_cast<unsigned int>(desc[i].flags);
    }
    return each_in(ptr, size, [&](CUdeviceptr, const sim::Mapping& mapping) {
      const unsigned int all = access | mapping.access;
      const int protection = all == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                             : all == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                       : PROT_NONE;
      mprotect(mapping.base, mapping.bytes, protection);
      sim::set_mapping_access(mapping.base, static_cast<unsigned char>(all));
    });
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  return call([&](RangeBook&) {
    sim::Mapping mapping;
    if (flags == nullptr || location == nullptr || !sim::find_mapping(pointer(ptr), mapping)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *flags = mapping.access;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
  return call([&](RangeBook& books) {
    const auto found = books.handles.find(handle);
    if (shareableHandle == nullptr || found == books.handles.end() || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const Physical& physical = *found->second.physical;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    if ((physical.properties.requestedHandleTypes & handleType) == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const int descriptor = fcntl(physical.descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *static_cast<int*>(shareableHandle) = descriptor;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  return call([&](RangeBook& books) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    const int given = static_cast<int>(reinterpret_cast<std::intptr_t>(osHandle));
    char link[64];
    char name[128] = {};
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", given);
    int type = 0;
    int id = 0;
    int kinds = 0;
    struct stat status {};
    const bool ours =
        readlink(link, name, sizeof name - 1) > 0 &&
        std::sscanf(name, "/memfd:gridlock-sim-memory-%d-%d-%d", &type, &id, &kinds) == 3 &&
        fstat(given, &status) == 0;
    if (!ours) return CUDA_ERROR_INVALID_VALUE;
    auto physical = std::make_shared<Physical>();
    physical->descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0);
    if (physical->descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    physical->bytes = static_cast<std::size_t>(status.st_size);
    physical->properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    physical->properties.location = {static_cast<CUmemLocationType>(type), id};
    physical->properties.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(kinds);
    *handle = books.add(std::move(physical));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                                CUmemGenericAllocationHandle handle) {
  return call([&](RangeBook& books) {
    const auto found = books.handles.find(handle);
    if (prop == nullptr || found == books.handles.end()) return CUDA_ERROR_INVALID_VALUE;
    *prop = found->second.physical->properties;
    return CUDA_SUCCESS;
  });
}

// Adds a reference to the handle that was mapped, even if it was released since.
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  return call([&](RangeBook& books) {
    sim::Mapping mapping;
    if (handle == nullptr || !sim::find_mapping(addr, mapping) || mapping.memory == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto start = reinterpret_cast<CUdeviceptr>(mapping.base);
    const auto [entry, is_new] =
        books.handles.try_emplace(books.names[start], Handle{books.mapped[start], 1});
    if (!is_new) ++entry->second.references;
    *handle = entry->first;
    return CUDA_SUCCESS;
  });
}
