// Plugins lie in one folder of the build.
#include "tests/adversarial/setup/plugin.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

void* load_plugin(const char* name) {
  const std::string path = std::string(ADVERSARIAL_PLUGINS "/") + name + ".so";
  void* const plugin = dlopen(path.c_str(), RTLD_NOW);
  if (plugin != nullptr) return plugin;
  std::fprintf(stderr, "%s\n", dlerror());
  std::_Exit(6);
}
