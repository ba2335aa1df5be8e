import { defineStruct } from './structs.ts';

/** Which property of a device. https://learn.microsoft.com/windows-hardware/drivers/install/devpropkey */
export const DEVPROPKEY = defineStruct('DEVPROPKEY', 20, { fmtid: [0, 'bytes 16'], pid: [16, 'u32'] });

/** From which sleep a device can wake the machine; 0: from none. https://learn.microsoft.com/windows-hardware/drivers/ddi/wdm/ns-wdm-cm_power_data_s */
export const CM_POWER_DATA = defineStruct('CM_POWER_DATA', 56, {
  PD_Size: [0, 'u32'],
  PD_Capabilities: [8, 'u32'],
  PD_DeepestSystemWake: [52, 'u32'],
});
