import { defineStruct } from './structs.ts';

/** https://learn.microsoft.com/windows/win32/api/sysinfoapi/ns-sysinfoapi-memorystatusex */
export const MEMORYSTATUSEX = defineStruct('MEMORYSTATUSEX', 64, {
  dwLength: [0, 'u32'],
  ullTotalPhys: [8, 'u64'],
  ullAvailPhys: [16, 'u64'],
  ullTotalPageFile: [24, 'u64'],
  ullAvailPageFile: [32, 'u64'],
});

/** Counts of pages. https://learn.microsoft.com/windows/win32/api/psapi/ns-psapi-performance_information */
export const PERFORMANCE_INFORMATION = defineStruct('PERFORMANCE_INFORMATION', 104, {
  cb: [0, 'u32'],
  CommitTotal: [8, 'u64'],
  CommitLimit: [16, 'u64'],
  PhysicalTotal: [32, 'u64'],
  PhysicalAvailable: [40, 'u64'],
  SystemCache: [48, 'u64'],
  PageSize: [80, 'u64'],
});

/** https://learn.microsoft.com/windows/win32/api/winbase/ns-winbase-system_power_status */
export const SYSTEM_POWER_STATUS = defineStruct('SYSTEM_POWER_STATUS', 12, {
  ACLineStatus: [0, 'u8'],
  BatteryFlag: [1, 'u8'],
  BatteryLifePercent: [2, 'u8'],
  SystemStatusFlag: [3, 'u8'],
  BatteryLifeTime: [4, 'u32'],
  BatteryFullLifeTime: [8, 'u32'],
});

/** Of IOCTL_DISK_PERFORMANCE; times are hundreds of nanoseconds. https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-disk_performance */
export const DISK_PERFORMANCE = defineStruct('DISK_PERFORMANCE', 88, {
  BytesRead: [0, 'i64'],
  BytesWritten: [8, 'i64'],
  ReadTime: [16, 'i64'],
  WriteTime: [24, 'i64'],
  ReadCount: [40, 'u32'],
  WriteCount: [44, 'u32'],
});

export const STORAGE_DEVICE_NUMBER = defineStruct('STORAGE_DEVICE_NUMBER', 12, {
  DeviceType: [0, 'u32'],
  DeviceNumber: [4, 'u32'],
  PartitionNumber: [8, 'u32'],
});

/** With the first of its temperatures. https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_temperature_data_descriptor */
export const STORAGE_TEMPERATURE_DATA_DESCRIPTOR = defineStruct('STORAGE_TEMPERATURE_DATA_DESCRIPTOR', 40, {
  InfoCount: [12, 'u16'],
  'TemperatureInfo[0].Temperature': [26, 'i16'],
});
