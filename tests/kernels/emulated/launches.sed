# CUDA's launches as C++; and grids so small that their loops come round in small shapes.
s/(\w+(<\w+>)?)<<<([^;]*)>>>\(([^;]*)\);/gridlock::emulated::Launch(\3)([=] { \1(\4); });/g
s/(kMaxBlocks|kMaxGrid) = [0-9]+/\1 = 3/
