import { openCoreAudio } from '../com/coreaudio.ts';
import { openToasts } from '../com/toasts.ts';
import { openWmi } from '../com/wmi.ts';
import { openAdvapi32 } from './advapi32.ts';
import { openCrypt32 } from './crypt32.ts';
import { openKnownDevices } from './devices.ts';
import { openIphlpapi } from './iphlpapi.ts';
import { openKernel32 } from './kernel32.ts';
import { openMonitors } from './monitors.ts';
import { openNtdll } from './ntdll.ts';
import { openPowrprof } from './powrprof.ts';
import { openRights } from './rights.ts';
import { openShell32 } from './shell32.ts';
import { openUser32 } from './user32.ts';
import { openWtsapi32 } from './wtsapi32.ts';

/**
 * Windows' own libraries that several features need, one client each; others are declared beside their feature (`defineLibrary`). Arguments and results are plain: numbers, texts, bytes and lists of them, so that
 * a recording can replace a machine. Callers parse the bytes.
 */
export type Native = { [K in keyof typeof openers]: ReturnType<(typeof openers)[K]> };

const openers = {
  kernel32: openKernel32,
  ntdll: openNtdll,
  advapi32: openAdvapi32,
  powrprof: openPowrprof,
  shell32: openShell32,
  user32: openUser32,
  wtsapi32: openWtsapi32,
  iphlpapi: openIphlpapi,
  coreaudio: openCoreAudio,
  toasts: openToasts,
  wmi: openWmi,
  crypt32: openCrypt32,
  rights: openRights,
  monitors: openMonitors,
  devices: openKnownDevices,
};

export const isShared = (name: string): name is keyof Native => Object.hasOwn(openers, name);

/** Each is loaded on first use. */
export function openNative(): Native {
  const native = {} as Native;
  for (const name of Object.keys(openers) as (keyof Native)[]) {
    const get = () => {
      const opened = openers[name]();
      Object.defineProperty(native, name, { value: opened });
      return opened;
    };
    Object.defineProperty(native, name, { enumerable: true, configurable: true, get });
  }
  return native;
}
