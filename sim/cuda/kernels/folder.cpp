// Each module with a kernel becomes a separate program, which takes what else it needs from the
// other modules of the folder.
#include "sim/cuda/kernels/folder.h"

#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "sim/cuda/kernels/compile.h"

namespace sim::kernels {
namespace {

namespace fs = std::filesystem;

class Folder final : public Image, public ptx::MoreModules {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {
    std::ifstream index(path_ / "index");
    if (!index) throw ptx::Refused("there is no index of PTX modules in " + path_.string());
    std::string symbol;
    std::string module;
    while (index >> symbol >> module) modules_.emplace(symbol, module);
  }

  const ptx::Program& program_with(std::string_view symbol) override {
    const std::lock_guard lock(mutex_);
    const std::string& module = module_with(symbol);
    auto& program = programs_[module];
    if (program == nullptr) {
      const ptx::ModuleText text = read(module);
      program = std::make_unique<ptx::Program>(std::span(&text, 1), *this);
    }
    return *program;
  }

  const ptx::Program* program_at_hand(std::string_view symbol) override {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(module_with(symbol));
    return found == programs_.end() ? nullptr : found->second.get();
  }

  bool loads_lazily() override { return false; }

  bool has(std::string_view symbol) const override {
    return modules_.contains(std::string(symbol));
  }
  ptx::ModuleText get(std::string_view symbol) override { return read(module_with(symbol)); }

 private:
  const std::string& module_with(std::string_view symbol) const {
    const auto found = modules_.find(std::string(symbol));
    if (found != modules_.end()) return found->second;
    throw ptx::Refused("no PTX module in " + path_.string() + " has '" + std::string(symbol) + "'");
  }

  // A running kernel calls this too, so the texts have their own mutex.
  ptx::ModuleText read(const std::string& module) {
    const std::lock_guard lock(texts_mutex_);
    auto& text = texts_[module];
    const fs::path file = path_ / (module + ".ptx");
    if (text.empty()) {
      if (!fs::exists(file)) compile(path_.parent_path() / "compile", module);
      std::stringstream content;
      content << std::ifstream(file).rdbuf();
      text = content.str();
      if (text.empty()) throw ptx::Refused("cannot read " + file.string());
    }
    return {module, text};
  }

  const fs::path path_;
  std::unordered_map<std::string, std::string> modules_;  // by symbol
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<ptx::Program>> programs_;  // by module; guarded by mutex_
  std::mutex texts_mutex_;
  std::map<std::string, std::string> texts_;  // by module; guarded by texts_mutex_
};

}  // namespace

std::unique_ptr<Image> image_of_folder(const fs::path& folder) {
  return std::make_unique<Folder>(folder);
}

}  // namespace sim::kernels
