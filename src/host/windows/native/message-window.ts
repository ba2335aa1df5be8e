import { address, pinned } from '../../ffi.ts';
import { openHiddenWindow } from './hidden-window.ts';
import { systemLibrary } from './library.ts';
import { guidBytes } from './shell32.ts';

type Announced = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'session-end' | 'power';

/** Nobody sees it. */
const title = 'Hostler messages';
const { WM_QUERYENDSESSION, WM_ENDSESSION, WM_POWERBROADCAST } = {
  ...{ WM_QUERYENDSESSION: 0x11, WM_ENDSESSION: 0x16, WM_POWERBROADCAST: 0x218 },
};
/** Of WM_POWERBROADCAST. */
const powerEvents: Partial<Record<number, Announced>> = {
  4: 'sleep',
  // Also where nobody is there; where somebody is, another message follows.
  18: 'resume',
  10: 'power',
  // A power setting that was asked for: the level of the battery.
  32787: 'power',
};
const batteryLevel = 'a7ad8041-b45a-4cae-87a3-eecbb468a9e1';

/** A window that nobody sees, which Windows tells of sleep, shutdown and power. For a thread of its own. */
export function openMessageWindow(hear: (event: Announced) => void) {
  const window = openHiddenWindow(title, (message, first) => {
    if (message === WM_QUERYENDSESSION) {
      hear('shutdown');
      return 1;
    }
    if (message === WM_ENDSESSION) hear(first === 0 ? 'shutdown-cancelled' : 'session-end');
    const event = message === WM_POWERBROADCAST ? powerEvents[first] : undefined;
    if (event !== undefined) hear(event);
    return null;
  });
  const { RegisterPowerSettingNotification } = systemLibrary('user32.dll', {
    RegisterPowerSettingNotification: { args: ['u64', 'ptr', 'u32'], returns: 'u64' },
  });
  const setting = pinned(16);
  setting.set(guidBytes(batteryLevel));
  RegisterPowerSettingNotification(window.handle, address(setting), 0);
  return window;
}
