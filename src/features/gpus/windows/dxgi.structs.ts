import { defineStruct } from '../../../host/windows/native/structs.ts';

/** https://learn.microsoft.com/windows/win32/api/dxgi/ns-dxgi-dxgi_adapter_desc1 */
export const DXGI_ADAPTER_DESC1 = defineStruct('DXGI_ADAPTER_DESC1', 312, {
  Description: [0, 'wide 128'],
  VendorId: [256, 'u32'],
  DeviceId: [260, 'u32'],
  SubSysId: [264, 'u32'],
  Revision: [268, 'u32'],
  DedicatedVideoMemory: [272, 'u64'],
  DedicatedSystemMemory: [280, 'u64'],
  SharedSystemMemory: [288, 'u64'],
  AdapterLuid: [296, 'bytes 8'],
  Flags: [304, 'u32'],
});
