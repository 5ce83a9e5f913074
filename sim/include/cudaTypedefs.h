// Types of the driver's functions, as cudaGetDriverEntryPoint hands them out. The name ends in the
// version of CUDA from which the function has had these parameters.
#pragma once

#include <cuda.h>

typedef CUresult (*PFN_cuInit_v2000)(unsigned int);
typedef CUresult (*PFN_cuGetProcAddress_v11030)(const char*, void**, int, cuuint64_t);
typedef CUresult (*PFN_cuGetProcAddress_v12000)(const char*, void**, int, cuuint64_t, int*);
typedef CUresult (*PFN_cuDriverGetVersion_v2020)(int*);
typedef CUresult (*PFN_cuGetErrorString_v6000)(CUresult, const char**);
typedef CUresult (*PFN_cuGetErrorName_v6000)(CUresult, const char**);
typedef CUresult (*PFN_cuDeviceGet_v2000)(CUdevice*, int);
typedef CUresult (*PFN_cuDeviceGetCount_v2000)(int*);
typedef CUresult (*PFN_cuDeviceGetAttribute_v2000)(int*, CUdevice_attribute, CUdevice);
typedef CUresult (*PFN_cuDeviceGetUuid_v9020)(CUuuid*, CUdevice);
typedef CUresult (*PFN_cuDeviceGetUuid_v11040)(CUuuid*, CUdevice);
typedef CUresult (*PFN_cuCtxCreate_v3020)(CUcontext*, unsigned int, CUdevice);
typedef CUresult (*PFN_cuCtxCreate_v11040)(CUcontext*, void*, int, unsigned int, CUdevice);
typedef CUresult (*PFN_cuCtxDestroy_v4000)(CUcontext);
typedef CUresult (*PFN_cuCtxGetCurrent_v4000)(CUcontext*);
typedef CUresult (*PFN_cuCtxSetCurrent_v4000)(CUcontext);
typedef CUresult (*PFN_cuCtxGetDevice_v2000)(CUdevice*);
typedef CUresult (*PFN_cuCtxSynchronize_v2000)(void);
typedef CUresult (*PFN_cuPointerGetAttribute_v4000)(void*, CUpointer_attribute, CUdeviceptr);
typedef CUresult (*PFN_cuStreamSynchronize_v2000)(CUstream);
typedef CUresult (*PFN_cuModuleLoadData_v2000)(CUmodule*, const void*);
typedef CUresult (*PFN_cuModuleGetFunction_v2000)(CUfunction*, CUmodule, const char*);
typedef CUresult (*PFN_cuLaunchKernel_v4000)(CUfunction, unsigned int, unsigned int, unsigned int,
                                             unsigned int, unsigned int, unsigned int, unsigned int,
                                             CUstream, void**, void**);
typedef CUresult (*PFN_cuLaunchKernelEx_v11060)(const CUlaunchConfig*, CUfunction, void**, void**);
typedef CUresult (*PFN_cuMemGetAddressRange_v3020)(CUdeviceptr*, size_t*, CUdeviceptr);
typedef CUresult (*PFN_cuMemAddressReserve_v10020)(CUdeviceptr*, size_t, size_t, CUdeviceptr,
                                                   unsigned long long);
typedef CUresult (*PFN_cuMemAddressFree_v10020)(CUdeviceptr, size_t);
typedef CUresult (*PFN_cuMemCreate_v10020)(CUmemGenericAllocationHandle*, size_t,
                                           const CUmemAllocationProp*, unsigned long long);
typedef CUresult (*PFN_cuMemGetAllocationGranularity_v10020)(size_t*, const CUmemAllocationProp*,
                                                             CUmemAllocationGranularity_flags);
typedef CUresult (*PFN_cuMemGetAllocationPropertiesFromHandle_v10020)(CUmemAllocationProp*,
                                                                      CUmemGenericAllocationHandle);
typedef CUresult (*PFN_cuMemExportToShareableHandle_v10020)(void*, CUmemGenericAllocationHandle,
                                                            CUmemAllocationHandleType,
                                                            unsigned long long);
typedef CUresult (*PFN_cuMemImportFromShareableHandle_v10020)(CUmemGenericAllocationHandle*, void*,
                                                              CUmemAllocationHandleType);
typedef CUresult (*PFN_cuMemMap_v10020)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                                        unsigned long long);
typedef CUresult (*PFN_cuMemUnmap_v10020)(CUdeviceptr, size_t);
typedef CUresult (*PFN_cuMemRelease_v10020)(CUmemGenericAllocationHandle);
typedef CUresult (*PFN_cuMemRetainAllocationHandle_v11000)(CUmemGenericAllocationHandle*, void*);
typedef CUresult (*PFN_cuMemSetAccess_v10020)(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t);
typedef CUresult (*PFN_cuMemGetHandleForAddressRange_v11070)(void*, CUdeviceptr, size_t,
                                                             CUmemRangeHandleType,
                                                             unsigned long long);
typedef CUresult (*PFN_cuMulticastAddDevice_v12010)(CUmemGenericAllocationHandle, CUdevice);
typedef CUresult (*PFN_cuMulticastBindMem_v12010)(CUmemGenericAllocationHandle, size_t,
                                                  CUmemGenericAllocationHandle, size_t, size_t,
                                                  unsigned long long);
typedef CUresult (*PFN_cuMulticastBindAddr_v12010)(CUmemGenericAllocationHandle, size_t,
                                                   CUdeviceptr, size_t, unsigned long long);
typedef CUresult (*PFN_cuMulticastCreate_v12010)(CUmemGenericAllocationHandle*,
                                                 const CUmulticastObjectProp*);
typedef CUresult (*PFN_cuMulticastGetGranularity_v12010)(size_t*, const CUmulticastObjectProp*,
                                                         CUmulticastGranularity_flags);
typedef CUresult (*PFN_cuMulticastUnbind_v12010)(CUmemGenericAllocationHandle, CUdevice, size_t,
                                                 size_t);
typedef CUresult (*PFN_cuStreamBatchMemOp_v11070)(CUstream, unsigned int, CUstreamBatchMemOpParams*,
                                                  unsigned int);
typedef CUresult (*PFN_cuStreamWaitValue32_v11070)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
typedef CUresult (*PFN_cuStreamWaitValue64_v11070)(CUstream, CUdeviceptr, cuuint64_t, unsigned int);
typedef CUresult (*PFN_cuStreamWriteValue32_v11070)(CUstream, CUdeviceptr, cuuint32_t,
                                                    unsigned int);
typedef CUresult (*PFN_cuStreamWriteValue64_v11070)(CUstream, CUdeviceptr, cuuint64_t,
                                                    unsigned int);

// Without a version: the latest.
typedef PFN_cuInit_v2000 PFN_cuInit;
typedef PFN_cuGetProcAddress_v12000 PFN_cuGetProcAddress;
typedef PFN_cuDriverGetVersion_v2020 PFN_cuDriverGetVersion;
typedef PFN_cuGetErrorString_v6000 PFN_cuGetErrorString;
typedef PFN_cuGetErrorName_v6000 PFN_cuGetErrorName;
typedef PFN_cuDeviceGet_v2000 PFN_cuDeviceGet;
typedef PFN_cuDeviceGetCount_v2000 PFN_cuDeviceGetCount;
typedef PFN_cuDeviceGetAttribute_v2000 PFN_cuDeviceGetAttribute;
typedef PFN_cuDeviceGetUuid_v11040 PFN_cuDeviceGetUuid;
typedef PFN_cuCtxCreate_v11040 PFN_cuCtxCreate;
typedef PFN_cuCtxDestroy_v4000 PFN_cuCtxDestroy;
typedef PFN_cuCtxGetCurrent_v4000 PFN_cuCtxGetCurrent;
typedef PFN_cuCtxSetCurrent_v4000 PFN_cuCtxSetCurrent;
typedef PFN_cuCtxGetDevice_v2000 PFN_cuCtxGetDevice;
typedef PFN_cuCtxSynchronize_v2000 PFN_cuCtxSynchronize;
typedef PFN_cuPointerGetAttribute_v4000 PFN_cuPointerGetAttribute;
typedef PFN_cuStreamSynchronize_v2000 PFN_cuStreamSynchronize;
typedef PFN_cuModuleLoadData_v2000 PFN_cuModuleLoadData;
typedef PFN_cuModuleGetFunction_v2000 PFN_cuModuleGetFunction;
typedef PFN_cuLaunchKernel_v4000 PFN_cuLaunchKernel;
typedef PFN_cuLaunchKernelEx_v11060 PFN_cuLaunchKernelEx;
typedef PFN_cuMemGetAddressRange_v3020 PFN_cuMemGetAddressRange;
typedef PFN_cuMemAddressReserve_v10020 PFN_cuMemAddressReserve;
typedef PFN_cuMemAddressFree_v10020 PFN_cuMemAddressFree;
typedef PFN_cuMemCreate_v10020 PFN_cuMemCreate;
typedef PFN_cuMemGetAllocationGranularity_v10020 PFN_cuMemGetAllocationGranularity;
typedef PFN_cuMemGetAllocationPropertiesFromHandle_v10020
    PFN_cuMemGetAllocationPropertiesFromHandle;
typedef PFN_cuMemExportToShareableHandle_v10020 PFN_cuMemExportToShareableHandle;
typedef PFN_cuMemImportFromShareableHandle_v10020 PFN_cuMemImportFromShareableHandle;
typedef PFN_cuMemMap_v10020 PFN_cuMemMap;
typedef PFN_cuMemUnmap_v10020 PFN_cuMemUnmap;
typedef PFN_cuMemRelease_v10020 PFN_cuMemRelease;
typedef PFN_cuMemRetainAllocationHandle_v11000 PFN_cuMemRetainAllocationHandle;
typedef PFN_cuMemSetAccess_v10020 PFN_cuMemSetAccess;
typedef PFN_cuMemGetHandleForAddressRange_v11070 PFN_cuMemGetHandleForAddressRange;
typedef PFN_cuMulticastAddDevice_v12010 PFN_cuMulticastAddDevice;
typedef PFN_cuMulticastBindMem_v12010 PFN_cuMulticastBindMem;
typedef PFN_cuMulticastBindAddr_v12010 PFN_cuMulticastBindAddr;
typedef PFN_cuMulticastCreate_v12010 PFN_cuMulticastCreate;
typedef PFN_cuMulticastGetGranularity_v12010 PFN_cuMulticastGetGranularity;
typedef PFN_cuMulticastUnbind_v12010 PFN_cuMulticastUnbind;
typedef PFN_cuStreamBatchMemOp_v11070 PFN_cuStreamBatchMemOp;
typedef PFN_cuStreamWaitValue32_v11070 PFN_cuStreamWaitValue32;
typedef PFN_cuStreamWaitValue64_v11070 PFN_cuStreamWaitValue64;
typedef PFN_cuStreamWriteValue32_v11070 PFN_cuStreamWriteValue32;
typedef PFN_cuStreamWriteValue64_v11070 PFN_cuStreamWriteValue64;
