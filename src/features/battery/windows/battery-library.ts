import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { devicePaths } from '../../../host/windows/native/device-paths.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import { XINPUT_BATTERY_INFORMATION } from './batteries.structs.ts';
import { type BatteryNode, readBattery } from './batteries.ts';

/** GUID_DEVICE_BATTERY. */
const batteryInterface = '72631e54-78a4-11d0-bcf7-00aa00b7b32a';
const places = [0, 1, 2, 3];
/** BATTERY_DEVTYPE_GAMEPAD, not a headset plugged into it. */
const gamepad = 0;

/** Drivers and libraries that know the charge of a device. Calls may block. */
export const batteryLibrary = defineLibrary('battery', () => ({
  /** An XINPUT_BATTERY_INFORMATION for each of the four XInput controllers; null: not connected. Throws where Windows lacks XInput. */
  controllers: (): (Uint8Array | null)[] =>
    places.map((place) => {
      const bytes = pinned(XINPUT_BATTERY_INFORMATION.size);
      return win32.XInputGetBatteryInformation(place, gamepad, address(bytes)) === 0 ? bytes : null;
    }),
  /** Batteries with a driver, including those of the machine and of a UPS. */
  batteries: (): BatteryNode[] => devicePaths(batteryInterface).flatMap((path) => readBattery(path) ?? []),
}));
