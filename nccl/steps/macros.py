"""The device modules of NCCL before 2.19, which has no generator.

NCCL's makefiles compile the file of each collective once for each operation and type
(src/collectives/device/gen_rules.sh), and macros make all algorithms and protocols in it. Here,
each module uses the macros for one function.
"""

from .names import mangled

DEVICE = "src/collectives/device"

# Of the collectives that reduce, and of those that copy: they know one type and no operation.
REDUCE = {"AllReduce": "all_reduce.h", "Reduce": "reduce.h", "ReduceScatter": "reduce_scatter.h"}
COPY = {"AllGather": "all_gather.h", "Broadcast": "broadcast.h"}
# In the order of the makefiles' numbers NCCL_OP and NCCL_TYPE.
OPERATIONS = ("Sum", "Prod", "Min", "Max", "PreMulSum", "SumPostDiv")
TYPES = {
    "i8": "int8_t",
    "u8": "uint8_t",
    "i32": "int32_t",
    "u32": "uint32_t",
    "i64": "int64_t",
    "u64": "uint64_t",
    "f16": "half",
    "f32": "float",
    "f64": "double",
    "bf16": "__nv_bfloat16",
}
FLOATS = ("f16", "f32", "f64", "bf16")
ALGORITHMS = ("RING", "TREE")
PROTOCOLS = ("LL", "LL128", "SIMPLE")

MODULE = """#define NCCL_OP {op}
#define NCCL_TYPE {type}
#include "collectives/device/{file}"
#include "common.h"
#include "collectives.h"
{macros}"""
FUNCTION = "IMPL_COLL_FUNC({words})\n"
KERNEL = (
    "IMPL_COLL_KERN({words}, FUNC_INDEX(ncclFunc{collective}, ncclDev{operation}, NCCL_TYPE,"
    " NCCL_ALGO_{algorithm}, NCCL_PROTO_{protocol}))\n"
)
NOTHING = """#include "devcomm.h"
#include "collectives.h"
{functions}"""


def reductions():
    """(collective, file, operation, type) of all reductions that there are."""
    for collective, file in REDUCE.items():
        for operation in OPERATIONS:
            for short in TYPES:
                if operation != "SumPostDiv" or short not in FLOATS:
                    yield collective, file, operation, short


def write_modules(folder, left_out):
    """Writes a source file for each module, and returns the index of functions and variables."""
    folder.modules.mkdir(parents=True)
    index = {"ncclShmem": "functions", "ncclFuncs": "functions"}
    nothing = []

    def write(name, text):
        (folder.modules / f"{name}.cu").write_text(text)

    def write_all(collective, file, operation, short):
        # The words of a module's name as in later versions, where a copy has neither of these.
        names = [operation, short] if collective in REDUCE else []
        for algorithm in (*ALGORITHMS, *left_out):
            for protocol in PROTOCOLS:
                words = (collective, algorithm, protocol, operation, TYPES[short])
                function = symbol("_".join(words))
                if algorithm in left_out:
                    nothing.append((words, operation == "Sum" and protocol == "LL"))
                    index[function] = "left_out"
                    continue
                name = "_".join([collective, *names, algorithm, protocol])
                index[function] = name
                macros = FUNCTION.format(words=", ".join(words))
                if operation == "Sum" and protocol == "LL":  # the only ones that have a kernel
                    macros += KERNEL.format(
                        words=", ".join(words),
                        collective=collective,
                        operation=operation,
                        algorithm=algorithm,
                        protocol=protocol,
                    )
                write(name, text_of(operation, short, file, macros))

    for words in reductions():
        write_all(*words)
    for collective, file in COPY.items():
        write_all(collective, file, "Sum", "i8")
    write("SendRecv", text_of("Sum", "i8", "sendrecv.h", "IMPL_COLL_P(SendRecv)\n"))
    index[symbol("SendRecv_RING_SIMPLE_Sum_int8_t")] = "SendRecv"
    write("onerank_reduce", '#include "collectives/device/onerank_reduce.cu"\n')
    for plain in TYPES.values():
        index[symbol(f"OneRankReduce_PreMulSum_{plain}")] = "onerank_reduce"
    write("functions", '#include "collectives/device/functions.cu"\n')
    write("left_out", text_of_nothing(nothing))
    return index


def text_of(operation, short, file, macros):
    return MODULE.format(
        op=OPERATIONS.index(operation), type=list(TYPES).index(short), file=file, macros=macros
    )


def text_of_nothing(functions):
    """Functions that do nothing, and the kernels that some of them have."""
    lines = []
    for words, has_kernel in functions:
        arguments = ", ".join(words)
        lines.append(f"__device__ void NCCL_FUNC_NAME({arguments})() {{}}\n")
        if has_kernel:
            lines.append(
                f"__global__ void NCCL_KERN_NAME({arguments})"
                "(struct ncclDevComm*, uint64_t, struct ncclWork*) {}\n"
            )
    return NOTHING.format(functions="".join(lines))


def symbol(words):
    return mangled(f"ncclFunction_{words}") + "v"


def module_of_kernel(plain, index):
    """The module of ncclKernel_X, whose function is called ncclFunction_X."""
    return index.get(symbol(plain.removeprefix("ncclKernel_")))
