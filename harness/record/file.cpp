// Boxes as files, to be read after the run.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "harness/record/format.h"
#include "harness/record/reader.h"

namespace gridlock::record {

std::string save(const void* box, std::size_t size, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(static_cast<const char*>(box), static_cast<std::streamsize>(size));
  file.close();
  if (file) return "";
  return "cannot write the box to " + path + ": " + std::strerror(errno);
}

Snapshot read_file(const std::string& path) {
  Snapshot snapshot;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    snapshot.damage = "cannot open " + path + ": " + std::strerror(errno);
    return snapshot;
  }
  const auto boxes = std::make_unique<Box[]>(kBoxesOfRank);
  file.read(reinterpret_cast<char*>(boxes.get()), static_cast<std::streamsize>(file_size()));
  const auto size = static_cast<std::size_t>(file.gcount());
  if (size == 0) {
    snapshot.damage = path + " is empty: no box was saved there";
    return snapshot;
  }
  const auto box = current_box({reinterpret_cast<const std::byte*>(boxes.get()), size});
  return read(box.data(), box.size());
}

}  // namespace gridlock::record
