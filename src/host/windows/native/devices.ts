import { pinned } from '../../ffi.ts';
import { textsOf } from './device-paths.ts';
import { DEVPROPKEY } from './devices.structs.ts';
import { guidBytes } from './guid.ts';
import { slot, wide } from './memory.ts';
import { filledStruct } from './structs.ts';
import { win32 } from './win32.ts';

/** A property by its category and its number in it. */
export type DeviceProperty = readonly [category: string, number: number];

export interface DeviceNode {
  /** Such as `BTHENUM\DEV_0011223344AA\7&1a2b3c4d&0&BLUETOOTHDEVICE_0011223344AA`. */
  id: string;
  /** In the requested order; null: the device does not have it. */
  values: (Uint8Array | null)[];
}

/** CM_GETIDLIST_FILTER_ENUMERATOR and CM_GETIDLIST_FILTER_PRESENT. */
const presentOfEnumerator = 0x101;
const longestProperty = 1024;

/** cfgmgr32.dll: the devices of the machine. It queries a service of Windows, which may be busy. */
export function openKnownDevices() {
  const list = (enumerator: string): string[] => {
    const [filter, length] = [wide(enumerator), slot()];
    if (win32.CM_Get_Device_ID_List_SizeW(length.place, filter, presentOfEnumerator) !== 0) return [];
    return textsOf(length.u32(), (texts, characters) =>
      win32.CM_Get_Device_ID_ListW(filter, texts, characters, presentOfEnumerator),
    );
  };
  const property = (node: number, [category, number]: DeviceProperty): Uint8Array | null => {
    const key = filledStruct(DEVPROPKEY, { fmtid: guidBytes(category), pid: number });
    const [kind, value, size] = [slot(), pinned(longestProperty), slot(longestProperty)];
    const ask = win32.CM_Get_DevNode_PropertyW;
    return ask(node, key, kind.place, value, size.place, 0) === 0 ? value.slice(0, size.u32()) : null;
  };
  const properties = (id: string, wanted: DeviceProperty[]) => {
    const node = slot();
    if (win32.CM_Locate_DevNodeW(node.place, wide(id), 0) !== 0) return null;
    return wanted.map((one) => property(node.u32(), one));
  };
  return {
    /** Properties of one device; null: not present. */
    properties,
    /** The present devices of an enumerator such as BTHENUM. */
    present: (enumerator: string, wanted: DeviceProperty[]) =>
      list(enumerator).flatMap((id) => {
        const values = properties(id, wanted);
        // It was removed since it was listed.
        return values === null ? [] : [{ id, values }];
      }),
  };
}
