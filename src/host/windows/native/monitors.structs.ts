import { defineStruct } from './structs.ts';

/** https://learn.microsoft.com/windows/win32/api/physicalmonitorenumerationapi/ns-physicalmonitorenumerationapi-physical_monitor */
export const PHYSICAL_MONITOR = defineStruct('PHYSICAL_MONITOR', 264, { hPhysicalMonitor: [0, 'pointer'] });
