import { address, callableFromNative, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { wide } from './memory.ts';
import { guidBytes } from './shell32.ts';
import { MSG, WNDCLASSEXW } from './user32.structs.ts';

type Announced = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'power';

/** Nobody sees it. */
const title = 'Hostler messages';
const { WM_QUERYENDSESSION, WM_ENDSESSION, WM_POWERBROADCAST, ALL_INPUT, REMOVE } = {
  ...{ WM_QUERYENDSESSION: 0x11, WM_ENDSESSION: 0x16, WM_POWERBROADCAST: 0x218 },
  ...{ ALL_INPUT: 0x4ff, REMOVE: 1 },
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
  const user32 = systemLibrary('user32.dll', {
    RegisterClassExW: { args: ['ptr'], returns: 'u16' },
    CreateWindowExW: {
      args: ['u32', 'ptr', 'ptr', 'u32', 'i32', 'i32', 'i32', 'i32', 'i64', 'u64', 'u64', 'u64'],
      returns: 'u64',
    },
    DestroyWindow: { args: ['u64'], returns: 'i32' },
    DefWindowProcW: { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i64' },
    MsgWaitForMultipleObjectsEx: { args: ['u32', 'u64', 'u32', 'u32', 'u32'], returns: 'u32' },
    PeekMessageW: { args: ['ptr', 'u64', 'u32', 'u32', 'u32'], returns: 'i32' },
    DispatchMessageW: { args: ['ptr'], returns: 'i64' },
    RegisterPowerSettingNotification: { args: ['u64', 'ptr', 'u32'], returns: 'u64' },
  });
  const { GetModuleHandleW } = systemLibrary('kernel32.dll', { GetModuleHandleW: { args: ['u64'], returns: 'u64' } });
  const procedure = callableFromNative(
    { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i64' },
    (window, message, first, second) => {
      if (message === WM_QUERYENDSESSION) {
        hear('shutdown');
        return 1;
      }
      if (message === WM_ENDSESSION && Number(first) === 0) hear('shutdown-cancelled');
      const event = message === WM_POWERBROADCAST ? powerEvents[Number(first)] : undefined;
      if (event !== undefined) hear(event);
      return user32.DefWindowProcW(window, Number(message), first, second);
    },
  );
  // A class belongs to the process, but what it calls to this thread.
  const name = wide(`HostlerMessages-${procedure}`);
  const kind = pinned(WNDCLASSEXW.size);
  const view = new DataView(kind.buffer);
  const { cbSize, lpfnWndProc, hInstance, lpszClassName } = WNDCLASSEXW.fields;
  view.setUint32(cbSize[0], kind.length, true);
  view.setBigUint64(lpfnWndProc[0], BigInt(procedure), true);
  view.setBigUint64(hInstance[0], BigInt(GetModuleHandleW(0)), true);
  view.setBigUint64(lpszClassName[0], BigInt(address(name)), true);
  user32.RegisterClassExW(address(kind));
  // Not one for messages alone: those are not told.
  const window = user32.CreateWindowExW(0, name, wide(title), 0, 0, 0, 0, 0, 0, 0, 0, 0);
  if (BigInt(window) === 0n) throw new Error('Windows made no window');
  const setting = pinned(16);
  setting.set(guidBytes(batteryLevel));
  user32.RegisterPowerSettingNotification(window, address(setting), 0);
  const message = pinned(MSG.size);
  return {
    /** Waits for messages, and for those of others that were sent, and answers them. */
    wait(ms: number): void {
      user32.MsgWaitForMultipleObjectsEx(0, 0, ms, ALL_INPUT, 4);
      while (user32.PeekMessageW(address(message), 0, 0, 0, REMOVE) !== 0) user32.DispatchMessageW(address(message));
    },
    close: () => void user32.DestroyWindow(window),
  };
}
