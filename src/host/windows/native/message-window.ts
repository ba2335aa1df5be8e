import { address, pinned } from '../../ffi.ts';
import type { WindowsEvent } from '../messages.ts';
import { guidBytes, guidText } from './guid.ts';
import { openHiddenWindow } from './hidden-window.ts';
import { slot } from './memory.ts';
import { readStruct } from './structs.ts';
import { POWERBROADCAST_SETTING } from './user32.structs.ts';
import { win32 } from './win32.ts';

const title = 'Hostler messages';
const WM_QUERYENDSESSION = 0x11;
const WM_ENDSESSION = 0x16;
const WM_POWERBROADCAST = 0x218;
const WM_WTSSESSION_CHANGE = 0x2b1;
const WM_CLIPBOARDUPDATE = 0x31d;
const SETTING_CHANGED = 32_787;
/** Of WM_POWERBROADCAST. */
const powerEvents: Partial<Record<number, WindowsEvent>> = {
  4: 'sleep',
  // PBT_APMRESUMEAUTOMATIC: after every resume, also without a user.
  18: 'resume',
  10: 'power',
};
/** Of WM_WTSSESSION_CHANGE. */
const sessionEvents: Partial<Record<number, WindowsEvent>> = { 7: 'lock', 8: 'unlock' };
const lid = 'ba3e0f4d-b817-4094-a2d1-d56379e6a0f3';
/** The level of the battery, the power supply, the power plan, the saving mode, and the lid; each is reported at once, and when it changes. */
const settings = [
  'a7ad8041-b45a-4cae-87a3-eecbb468a9e1',
  '5d3e9a59-e9d5-4b00-a6bd-ff34ff516548',
  '31f9f286-5084-42fe-b720-2b0264993763',
  'e00958c0-c213-4ace-ac77-fecced2eeea5',
  lid,
];

/** A hidden window that receives events of sleep, shutdown, power, the lid and the lock, and on demand of the clipboard. Needs its own thread. */
export function openMessageWindow(received: (event: WindowsEvent) => void, copied: () => void) {
  /** null: the pointer is invalid. Any process can send this message, with any pointer. */
  const settingAt = (place: number) => {
    const bytes = pinned(POWERBROADCAST_SETTING.size);
    const length = POWERBROADCAST_SETTING.fields['Data[0]'][0] + 1;
    return win32.ReadProcessMemory(win32.GetCurrentProcess(), place, address(bytes), length, slot().place) === 0
      ? null
      : bytes;
  };
  const window = openHiddenWindow(title, (message, first, second) => {
    if (message === WM_QUERYENDSESSION) {
      received('shutdown');
      return 1;
    }
    if (message === WM_CLIPBOARDUPDATE) copied();
    if (message === WM_ENDSESSION) received(first === 0 ? 'shutdown-cancelled' : 'session-end');
    const event =
      message === WM_WTSSESSION_CHANGE
        ? sessionEvents[first]
        : message !== WM_POWERBROADCAST
          ? undefined
          : first === SETTING_CHANGED
            ? settingEvent(settingAt(second))
            : powerEvents[first];
    if (event !== undefined) received(event);
    return null;
  });
  for (const id of settings) win32.RegisterPowerSettingNotification(window.handle, guidBytes(id), 0);
  // Windows announces Modern Standby to registered windows only.
  win32.RegisterSuspendResumeNotification(window.handle, 0);
  win32.WTSRegisterSessionNotification(window.handle, 0);
  let listensToClipboard = false;
  return {
    ...window,
    /** Returns whether the window listens now. */
    listenToClipboard(isWanted: boolean): boolean {
      if (isWanted === listensToClipboard) return listensToClipboard;
      const { AddClipboardFormatListener: add, RemoveClipboardFormatListener: remove } = win32;
      if (isWanted) listensToClipboard = add(window.handle) !== 0;
      else listensToClipboard = remove(window.handle) === 0;
      return listensToClipboard;
    },
  };
}

/** The event of a POWERBROADCAST_SETTING. */
export function settingEvent(bytes: Uint8Array | null): WindowsEvent {
  if (bytes === null) return 'power';
  const { PowerSetting, 'Data[0]': value } = readStruct(POWERBROADCAST_SETTING, bytes);
  if (guidText(PowerSetting) !== lid) return 'power';
  return value === 0 ? 'lid-closed' : 'lid-open';
}
