import { address, pinned } from '../../../host/ffi.ts';
import { withDevice } from '../../../host/windows/native/handles.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import { filledStruct, wideText } from '../../../host/windows/native/structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import {
  BATTERY_INFORMATION,
  BATTERY_QUERY_INFORMATION,
  BATTERY_STATUS,
  BATTERY_WAIT_STATUS,
} from './batteries.structs.ts';

export interface BatteryNode {
  /** Such as `\\?\hid#vid_051d&pid_0002#6&1a2b3c4d&0&0000#{72631e54-…}`. */
  path: string;
  /** Empty: unnamed. */
  name: string;
  /** A BATTERY_INFORMATION. */
  information: Uint8Array;
  /** A BATTERY_STATUS. */
  status: Uint8Array;
}

const QUERY_TAG = 0x294040;
const QUERY_INFORMATION = 0x294044;
const QUERY_STATUS = 0x29404c;
/** Values of BATTERY_QUERY_INFORMATION_LEVEL. */
const BatteryInformation = 0;
const BatteryDeviceName = 4;
/** GENERIC_READ | GENERIC_WRITE, which all users have: queries need the first, and drivers require both. */
const ACCESS = 0xc0000000;

/** The battery at a path; null: no battery, or no access. https://learn.microsoft.com/windows/win32/power/enumerating-battery-devices */
export const readBattery = (path: string): BatteryNode | null =>
  withDevice(path, ACCESS, (device) => {
    const ask = (code: number, input: Uint8Array<ArrayBuffer>, size: number): Uint8Array | null => {
      const [output, length] = [pinned(size), slot()];
      const places = [address(input), input.length, address(output), size, length.place] as const;
      return win32.DeviceIoControl(device, code, ...places, 0) === 0 ? null : output.slice(0, length.u32());
    };
    const query = (BatteryTag: number, InformationLevel: number, size: number) =>
      ask(QUERY_INFORMATION, filledStruct(BATTERY_QUERY_INFORMATION, { BatteryTag, InformationLevel }), size);
    // Does not wait for a battery; 0 (BATTERY_TAG_INVALID): no battery.
    const number = ask(QUERY_TAG, pinned(4), 4);
    const tag = number === null || number.length < 4 ? 0 : new DataView(number.buffer).getUint32(0, true);
    if (tag === 0) return null;
    const wait = filledStruct(BATTERY_WAIT_STATUS, { BatteryTag: tag });
    const information = query(tag, BatteryInformation, BATTERY_INFORMATION.size);
    const status = ask(QUERY_STATUS, wait, BATTERY_STATUS.size);
    if (information === null || status === null) return null;
    const name = query(tag, BatteryDeviceName, 256);
    return { path, name: name === null ? '' : wideText(name), information, status };
  });
