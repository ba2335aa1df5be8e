import { address, pinned } from '../../../host/ffi.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { XINPUT_BATTERY_INFORMATION } from './controllers.structs.ts';

const places = [0, 1, 2, 3];
/** BATTERY_DEVTYPE_GAMEPAD, not a headset plugged into it. */
const gamepad = 0;

/** xinput1_4.dll: an XINPUT_BATTERY_INFORMATION for each of the four controllers; null: not connected. */
export function openControllers(): () => (Uint8Array | null)[] {
  const { XInputGetBatteryInformation } = systemLibrary('xinput1_4.dll', {
    XInputGetBatteryInformation: { args: ['u32', 'u8', 'ptr'], returns: 'u32' },
  });
  return () =>
    places.map((place) => {
      const bytes = pinned(XINPUT_BATTERY_INFORMATION.size);
      return XInputGetBatteryInformation(place, gamepad, address(bytes)) === 0 ? bytes : null;
    });
}
