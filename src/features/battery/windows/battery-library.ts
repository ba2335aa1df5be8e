import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { openDevicePaths } from '../../../host/windows/native/device-paths.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { type BatteryNode, openBatteries } from './batteries.ts';
import { XINPUT_BATTERY_INFORMATION } from './controllers.structs.ts';

export const batteryLibrary = defineLibrary('battery', openChargedDevices);

/** GUID_DEVICE_BATTERY. */
const batteryInterface = '72631e54-78a4-11d0-bcf7-00aa00b7b32a';

/** Drivers and libraries that know the charge of a device. Calls may block. */
function openChargedDevices() {
  // Some versions of Windows lack XInput, so each library is opened with its first call.
  let controllers: ReturnType<typeof openControllers> | null = null;
  let batteries: { paths(kind: string): string[]; read: ReturnType<typeof openBatteries> } | null = null;
  return {
    /** An XINPUT_BATTERY_INFORMATION for each of the four XInput controllers; null: not connected. */
    controllers(): (Uint8Array | null)[] {
      controllers ??= openControllers();
      return controllers();
    },
    /** Batteries with a driver, including those of the machine and of a UPS. */
    batteries(): BatteryNode[] {
      batteries ??= { paths: openDevicePaths(), read: openBatteries() };
      const { paths, read } = batteries;
      return paths(batteryInterface).flatMap((path) => read(path) ?? []);
    },
  };
}

const places = [0, 1, 2, 3];
/** BATTERY_DEVTYPE_GAMEPAD, not a headset plugged into it. */
const gamepad = 0;

/** xinput1_4.dll: an XINPUT_BATTERY_INFORMATION for each of the four controllers; null: not connected. */
function openControllers(): () => (Uint8Array | null)[] {
  const { XInputGetBatteryInformation } = systemLibrary('xinput1_4.dll', {
    XInputGetBatteryInformation: { args: ['u32', 'u8', 'ptr'], returns: 'u32' },
  });
  return () =>
    places.map((place) => {
      const bytes = pinned(XINPUT_BATTERY_INFORMATION.size);
      return XInputGetBatteryInformation(place, gamepad, address(bytes)) === 0 ? bytes : null;
    });
}
