// Files of programs and libraries, as processes that run have mapped them.
#pragma once

#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {

// A part of a file that is mapped as code.
struct Code {
  std::uint64_t begin = 0;  // address
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  // of `begin` in the file
  std::uint64_t inode = 0;
  std::string path;
};

class ElfFile {
 public:
  //   Blocks  to open the file; the rest is read when it is needed
  explicit ElfFile(const std::string& path);

  // The address that the file's own tables give to what lies at `offset`.
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const;

  // What the file exports under `name`, by its own addresses.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  std::optional<Range> exported(const std::string& name) const;

  // What the file says of its functions' frames (.eh_frame); null if it does not.
  Dwarf_CFI* frames() const { return frames_.get(); }

 private:
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  struct EndFrames {
    void operator()(Dwarf_CFI* frames) const { dwarf_cfi_end(frames); }
  };
  std::optional<Range> find_exported(const std::string& name) const;

  FileDescriptor file_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::unique_ptr<Dwarf_CFI, EndFrames> frames_;
  mutable std::map<std::string, std::optional<Range>> exported_;  // what was asked for
};

// The file of which `code` is a part. It stays open for the agent's life. Null if it is not what is
// mapped, or is being written to.
//   Blocks  the first time, to open it
const ElfFile* file_of(const Code& code);

}  // namespace gridlock::run
