import { defineStruct } from './structs.ts';

/** MHz. The headers leave it out; the documentation has it: https://learn.microsoft.com/windows/win32/power/processor-power-information-str */
export const PROCESSOR_POWER_INFORMATION = defineStruct(
  'PROCESSOR_POWER_INFORMATION',
  24,
  { Number: [0, 'u32'], MaxMhz: [4, 'u32'], CurrentMhz: [8, 'u32'], MhzLimit: [12, 'u32'] },
  { headers: 'wine' },
);

/** Milliwatt-hours, milliwatts and seconds. */
export const SYSTEM_BATTERY_STATE = defineStruct('SYSTEM_BATTERY_STATE', 32, {
  AcOnLine: [0, 'u8'],
  BatteryPresent: [1, 'u8'],
  Charging: [2, 'u8'],
  Discharging: [3, 'u8'],
  MaxCapacity: [8, 'u32'],
  RemainingCapacity: [12, 'u32'],
  Rate: [16, 'i32'],
  EstimatedTime: [20, 'u32'],
});

/** Supported kinds of sleep. The last one is AoAc of newer headers: "modern standby". */
export const SYSTEM_POWER_CAPABILITIES = defineStruct('SYSTEM_POWER_CAPABILITIES', 76, {
  LidPresent: [2, 'u8'],
  SystemS1: [3, 'u8'],
  SystemS2: [4, 'u8'],
  SystemS3: [5, 'u8'],
  SystemS4: [6, 'u8'],
  HiberFilePresent: [8, 'u8'],
  'spare2[2]': [20, 'u8'],
});
