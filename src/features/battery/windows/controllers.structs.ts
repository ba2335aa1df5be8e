import { defineStruct } from '../../../host/windows/native/structs.ts';

/** https://learn.microsoft.com/windows/win32/api/xinput/ns-xinput-xinput_battery_information */
export const XINPUT_BATTERY_INFORMATION = defineStruct('XINPUT_BATTERY_INFORMATION', 2, {
  BatteryType: [0, 'u8'],
  BatteryLevel: [1, 'u8'],
});
