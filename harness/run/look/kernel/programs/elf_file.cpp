// elfutils' libelf and libdw.
#include "harness/run/look/kernel/programs/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>

namespace gridlock::run {
namespace {

// What a file is, and when somebody last wrote to it: who builds a library again may write over it.
struct Version {
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  auto operator<=>(const Version&) const = default;
};

std::optional<Version> version_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return Version{.inode = status.st_ino,
                 .size = status.st_size,
                 .seconds = status.st_mtim.tv_sec,
                 .nanoseconds = status.st_mtim.tv_nsec};
}

}  // namespace

ElfFile::ElfFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!file_.is_open()) return;
  elf_version(EV_CURRENT);
  // What is read into memory stays if the file is cut short.
  elf_.reset(elf_begin(file_.get(), ELF_C_READ, nullptr));
  if (elf_) frames_.reset(dwarf_getcfi_elf(elf_.get()));
}

std::optional<std::uint64_t> ElfFile::address_of(std::uint64_t offset) const {
  std::size_t headers = 0;
  if (elf_getphdrnum(elf_.get(), &headers) != 0) return {};
  for (std::size_t index = 0; index < headers; ++index) {
    GElf_Phdr header{};
    if (gelf_getphdr(elf_.get(), static_cast<int>(index), &header) == nullptr) return {};
    const bool holds = header.p_type == PT_LOAD && offset >= header.p_offset &&
                       offset - header.p_offset < header.p_filesz;
    if (holds) return header.p_vaddr + (offset - header.p_offset);
  }
  return {};
}

std::optional<ElfFile::Range> ElfFile::exported(const std::string& name) const {
  const auto [known, is_new] = exported_.try_emplace(name);
  if (is_new) known->second = find_exported(name);
  return known->second;
}

std::optional<ElfFile::Range> ElfFile::find_exported(const std::string& name) const {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return {};
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int index = 0; index < count; ++index) {
      GElf_Sym symbol{};
      if (gelf_getsym(data, index, &symbol) == nullptr) return {};
      const char* own = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
      if (own == nullptr || own != name || symbol.st_shndx == SHN_UNDEF) continue;
      return Range{.begin = symbol.st_value, .size = symbol.st_size};
    }
  }
  return {};
}

const ElfFile* file_of(const Code& code) {
  struct Opened {
    Version version;
    std::unique_ptr<ElfFile> file;
  };
  thread_local std::map<std::string, Opened> all;
  const std::optional<Version> now = version_of(code.path);
  if (!now || now->inode != code.inode) return nullptr;
  Opened& opened = all[code.path];
  if (!opened.file || opened.version != *now) {
    opened = {.version = *now, .file = std::make_unique<ElfFile>(code.path)};
    // Who has written meanwhile may have left tables of two versions.
    if (version_of(code.path) != now) opened.version = {};
  }
  return opened.version == *now ? opened.file.get() : nullptr;
}

}  // namespace gridlock::run
