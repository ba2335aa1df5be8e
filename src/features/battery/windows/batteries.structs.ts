import { defineStruct } from '../../../host/windows/native/structs.ts';

/** https://learn.microsoft.com/windows/win32/power/battery-query-information-str */
export const BATTERY_QUERY_INFORMATION = defineStruct('BATTERY_QUERY_INFORMATION', 12, {
  BatteryTag: [0, 'u32'],
  InformationLevel: [4, 'u32'],
  AtRate: [8, 'i32'],
});

/** https://learn.microsoft.com/windows/win32/power/battery-information-str */
export const BATTERY_INFORMATION = defineStruct('BATTERY_INFORMATION', 36, {
  Capabilities: [0, 'u32'],
  FullChargedCapacity: [16, 'u32'],
});

/** https://learn.microsoft.com/windows/win32/power/battery-wait-status-str */
export const BATTERY_WAIT_STATUS = defineStruct('BATTERY_WAIT_STATUS', 20, { BatteryTag: [0, 'u32'] });

/** https://learn.microsoft.com/windows/win32/power/battery-status-str */
export const BATTERY_STATUS = defineStruct('BATTERY_STATUS', 16, { PowerState: [0, 'u32'], Capacity: [4, 'u32'] });

/** https://learn.microsoft.com/windows/win32/api/xinput/ns-xinput-xinput_battery_information */
export const XINPUT_BATTERY_INFORMATION = defineStruct('XINPUT_BATTERY_INFORMATION', 2, {
  BatteryType: [0, 'u8'],
  BatteryLevel: [1, 'u8'],
});
