// Tells PTX from other device code. clang embeds text without a terminator, and several texts may
// follow each other, so a text ends where the next one begins or where its memory ends.
#include "sim/cuda/kernels/image.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "sim/cuda/kernels/folder.h"

namespace sim::kernels {
namespace {

constexpr std::string_view kModules = "gridlock modules 1\n";
constexpr std::string_view kVersion = "\n.version";

class Text final : public Image {
 public:
  Text(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}
  const ptx::Program& program_with(std::string_view /*symbol*/) override {
    const std::lock_guard lock(mutex_);
    if (program_ == nullptr) {
      const ptx::ModuleText module{name_, text_};
      program_ = std::make_unique<ptx::Program>(std::span(&module, 1));
    }
    return *program_;
  }

 private:
  std::string text_;
  std::string name_;
  std::mutex mutex_;
  std::unique_ptr<ptx::Program> program_;
};

struct Segment {
  std::uintptr_t address;
  std::uintptr_t end;
};

int find_segment(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  auto* wanted = static_cast<Segment*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || wanted->address < begin) continue;
    if (wanted->address >= begin + header.p_memsz) continue;
    wanted->end = begin + header.p_memsz;
    return 1;
  }
  return 0;
}

// The text at `data`, up to a zero byte or the end of the library's segment.
std::string_view text_at(const char* data) {
  Segment segment{reinterpret_cast<std::uintptr_t>(data), 0};
  if (dl_iterate_phdr(find_segment, &segment) == 0) return data;
  return {data, strnlen(data, segment.end - segment.address)};
}

// Cuts off a second module, which begins at its ".version" or at the comment before it.
std::string_view first_module(std::string_view text) {
  const std::size_t first = text.find(".version");
  if (first == std::string_view::npos) return text;
  const std::size_t second = text.find(kVersion, first);
  if (second == std::string_view::npos) return text;
  std::size_t end = second + 1;
  while (end > 1) {  // comments and blank lines
    const std::size_t line = text.rfind('\n', end - 2) + 1;
    const std::string_view before = text.substr(line, end - line);
    if (!before.starts_with("//") && before != "\n") break;
    end = line;
  }
  return text.substr(0, end);
}

bool is_ptx(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  return text.starts_with("//") || text.starts_with("/*") || text.starts_with(".version");
}

std::string library_of(const void* data) {
  Dl_info info{};
  return dladdr(data, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

std::unique_ptr<Image> image_at(const void* data) {
  if (data == nullptr) throw ptx::Refused("there is no device code");
  const auto* bytes = static_cast<const char*>(data);
  const std::string library = library_of(data);
  const std::string name = library.empty() ? "PTX" : std::filesystem::path(library).filename();
  if (std::memcmp(bytes, "\177ELF", 4) == 0 || std::memcmp(bytes, "\x50\xed\x55\xba", 4) == 0) {
    throw ptx::Refused(
        "the device code of " + name +
        " is NVIDIA's machine code; the simulation runs PTX: compile with clang (docs/sim.md)");
  }
  const std::string_view text = text_at(bytes);
  if (text.starts_with(kModules)) {
    const std::string_view rest = text.substr(kModules.size());
    const std::filesystem::path folder = std::string(rest.substr(0, rest.find('\n')));
    return image_of_folder(std::filesystem::path(library).parent_path() / folder);
  }
  if (!is_ptx(text)) throw ptx::Refused("the device code of " + name + " is not PTX");
  return image_of(std::string(first_module(text)), name);
}

std::unique_ptr<Image> image_of(std::string text, std::string name) {
  return std::make_unique<Text>(std::move(text), std::move(name));
}

}  // namespace sim::kernels
