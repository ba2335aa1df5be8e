import { address, pinned } from '../../ffi.ts';
import { guidBytes } from './guid.ts';
import { systemLibrary } from './library.ts';
import { slot } from './memory.ts';

export const longestDeviceList = 1 << 20;

/** Paths of the present devices with an interface, given by its GUID. */
export function openDevicePaths(): (kind: string) => string[] {
  const cfgmgr32 = systemLibrary('cfgmgr32.dll', {
    CM_Get_Device_Interface_List_SizeW: { args: ['ptr', 'ptr', 'u64', 'u32'], returns: 'u32' },
    CM_Get_Device_Interface_ListW: { args: ['ptr', 'u64', 'ptr', 'u32', 'u32'], returns: 'u32' },
  });
  return (kind) => {
    const [guid, length] = [guidBytes(kind), slot()];
    if (cfgmgr32.CM_Get_Device_Interface_List_SizeW(length.place, address(guid), 0, 0) !== 0) return [];
    const characters = Math.min(length.u32(), longestDeviceList);
    if (characters < 2) return [];
    const texts = pinned(2 * characters);
    if (cfgmgr32.CM_Get_Device_Interface_ListW(address(guid), 0, address(texts), characters, 0) !== 0) return [];
    return textsIn(texts);
  };
}

export const textsIn = (bytes: Uint8Array<ArrayBuffer>) =>
  Buffer.from(bytes.buffer).toString('utf16le').split('\0').filter(Boolean);
