// A library of setup/plugins that a program loads while it runs.
#pragma once

// Its handle. The program ends if it cannot be loaded.
//   Blocks   while its constructors run
void* load_plugin(const char* name);
