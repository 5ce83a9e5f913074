// A folder that is being read, and the end of it.
#pragma once

#include <dirent.h>

#include <memory>
#include <string>

namespace gridlock {

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// Empty where the folder cannot be read: with a process's folder in /proc it has ended.
inline Directory open_directory(const std::string& path) {
  return Directory(opendir(path.c_str()));
}

}  // namespace gridlock
