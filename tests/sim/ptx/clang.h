// Finds a clang that compiles CUDA to PTX, if one is installed, and gives files to compile in.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace sim::ptx {

inline bool shell(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

// A folder that its owner removes.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "ptx-test-XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

inline constexpr const char* kForPtx =
    " -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -S -w ";

// Its name; empty if no clang of version 16 or later knows sm_90.
inline const std::string& clang() {
  static const std::string found = [] {
    const Folder folder;
    write_file(folder / "a.cu", "__attribute__((global)) void k() {}");
    for (int version = 30; version >= 15; --version) {
      std::string name = version == 15 ? "clang++" : "clang++-" + std::to_string(version);
      if (shell("command -v " + name) &&
          shell(name + kForPtx + (folder / "a.cu") + " -o " + (folder / "a.ptx")))
        return name;
    }
    return std::string();
  }();
  return found;
}

}  // namespace sim::ptx
