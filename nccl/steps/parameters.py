"""Marks the parameters that a kernel only reads, so that no thread copies them.

NCCL's kernels take a structure of 4 KiB by value. Where a pointer to it is handed on, clang gives each
thread a copy in local memory: 512 loads and stores before any work. nvcc sees that nobody writes to it.
LLVM knows that too (`readonly`), and leaves the copy out for a parameter that is a grid constant.
"""

import re

# define void @KERNEL(ptr nocapture readonly byval(%struct.x) align 16 %0, i32 %1) ...
DEFINITION = re.compile(r"^define [^@\n]*@([\w.$]+)\((.*)\)[^()\n]*\{$", re.M)
KERNEL = re.compile(r'^!\d+ = !\{ptr @([\w.$]+), !"kernel", i32 1\}$', re.M)  # before clang 21
ANNOTATIONS = re.compile(r"^!nvvm\.annotations = !\{(.*)\}$", re.M)
NUMBER = re.compile(r"^!(\d+) = ", re.M)


def split(parameters):
    """The parameters of a definition, at the commas outside all brackets."""
    depth, parts = 0, [""]
    for letter in parameters:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def only_read(module):
    """(kernel, numbers of its parameters from 1) for each kernel of LLVM's text that has some."""
    kernels = set(KERNEL.findall(module))
    for definition in DEFINITION.finditer(module):
        name, parameters = definition.groups()
        if name not in kernels and "ptx_kernel" not in definition.group().split("@")[0]:
            continue
        numbers = [
            number
            for number, parameter in enumerate(split(parameters), 1)
            if "byval(" in parameter and re.search(r"\breadonly\b", parameter)
        ]
        if numbers:
            yield name, numbers


def mark_only_read(module):
    """LLVM's text of a module, with a note at each kernel's parameters that are only read."""
    number = max((int(n) for n in NUMBER.findall(module)), default=-1) + 1
    names, lines = [], []
    for kernel, numbers in only_read(module):
        constants = ", ".join(f"i32 {n}" for n in numbers)
        lines += [
            f'!{number} = !{{ptr @{kernel}, !"grid_constant", !{number + 1}}}',
            f"!{number + 1} = !{{{constants}}}",
        ]
        names.append(f"!{number}")
        number += 2
    if not names:
        return module
    known = ANNOTATIONS.search(module)
    if known:
        names = [*filter(None, [known.group(1)]), *names]
        module = module.replace(known.group(), "")
    return "\n".join([module, f"!nvvm.annotations = !{{{', '.join(names)}}}", *lines, ""])
