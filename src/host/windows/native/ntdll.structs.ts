import { defineStruct } from './structs.ts';

/** Class 8. Kernel time includes idle, DPC and interrupt time; hundreds of nanoseconds. */
export const SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION = defineStruct('SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION', 48, {
  IdleTime: [0, 'i64'],
  KernelTime: [8, 'i64'],
  UserTime: [16, 'i64'],
  'Reserved1[0]': [24, 'i64'],
  'Reserved1[1]': [32, 'i64'],
  Reserved2: [40, 'u32'],
});

/** Class 2. */
export const SYSTEM_PERFORMANCE_INFORMATION = defineStruct(
  'SYSTEM_PERFORMANCE_INFORMATION',
  312,
  {
    PagefilePagesWritten: [96, 'u32'],
    ContextSwitches: [296, 'u32'],
    SystemCalls: [308, 'u32'],
  },
  { headers: 'wine' },
);

/** Class 5; one entry a process, followed by its threads and its name. */
export const SYSTEM_PROCESS_INFORMATION = defineStruct(
  'SYSTEM_PROCESS_INFORMATION',
  256,
  {
    NextEntryOffset: [0, 'u32'],
    dwThreadCount: [4, 'u32'],
    CreationTime: [32, 'i64'],
    UserTime: [40, 'i64'],
    KernelTime: [48, 'i64'],
    'ProcessName.Length': [56, 'u16'],
    'ProcessName.Buffer': [64, 'pointer'],
    UniqueProcessId: [80, 'u64'],
    ParentProcessId: [88, 'u64'],
    HandleCount: [96, 'u32'],
    SessionId: [100, 'u32'],
    'vmCounters.WorkingSetSize': [144, 'u64'],
    'vmCounters.PagefileUsage': [184, 'u64'],
  },
  { headers: 'wine', tail: 'ti' },
);

export const SYSTEM_THREAD_INFORMATION = defineStruct(
  'SYSTEM_THREAD_INFORMATION',
  80,
  { dwThreadState: [68, 'u32'], dwWaitReason: [72, 'u32'] },
  { headers: 'wine' },
);

export const PROCESS_BASIC_INFORMATION = defineStruct('PROCESS_BASIC_INFORMATION', 48, {
  PebBaseAddress: [8, 'pointer'],
});

export const PEB = defineStruct('PEB', 0, { ProcessParameters: [32, 'pointer'] }, { headers: 'wine' });

export const RTL_USER_PROCESS_PARAMETERS = defineStruct(
  'RTL_USER_PROCESS_PARAMETERS',
  0,
  { 'CurrentDirectory.DosPath.Length': [56, 'u16'], 'CurrentDirectory.DosPath.Buffer': [64, 'pointer'] },
  { headers: 'wine' },
);

/** Class 18; sizes are pages. The name follows. */
export const SYSTEM_PAGEFILE_INFORMATION = defineStruct(
  'SYSTEM_PAGEFILE_INFORMATION',
  32,
  { NextEntryOffset: [0, 'u32'], TotalSize: [4, 'u32'], TotalInUse: [8, 'u32'] },
  { headers: 'neither' },
);

export const RTL_OSVERSIONINFOEXW = defineStruct('RTL_OSVERSIONINFOEXW', 284, {
  dwMajorVersion: [4, 'u32'],
  dwMinorVersion: [8, 'u32'],
  dwBuildNumber: [12, 'u32'],
  wProductType: [282, 'u8'],
});

/** https://learn.microsoft.com/windows-hardware/drivers/ddi/wdm/ns-wdm-_io_status_block */
export const IO_STATUS_BLOCK = defineStruct('IO_STATUS_BLOCK', 16, {
  Status: [0, 'i32'],
  Information: [8, 'u64'],
});
