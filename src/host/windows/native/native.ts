import { type CoreAudio, openCoreAudio } from '../com/coreaudio.ts';
import { openToasts, type Toasts } from '../com/toasts.ts';
import { openWmi, type Wmi } from '../com/wmi.ts';
import { type Advapi32, openAdvapi32 } from './advapi32.ts';
import { type Crypt32, openCrypt32 } from './crypt32.ts';
import { type KnownDevices, openKnownDevices } from './devices.ts';
import { type Iphlpapi, openIphlpapi } from './iphlpapi.ts';
import { type Kernel32, openKernel32 } from './kernel32.ts';
import { type Dxva2Monitors, openMonitors } from './monitors.ts';
import { type Ntdll, openNtdll } from './ntdll.ts';
import { openPowrprof, type Powrprof } from './powrprof.ts';
import { openRights, type Rights } from './rights.ts';
import { openShell32, type Shell32 } from './shell32.ts';
import { openUser32, type User32 } from './user32.ts';
import { openWtsapi32, type Wtsapi32 } from './wtsapi32.ts';

/**
 * Windows' own libraries that several features need, one client each; others are declared beside their feature (`defineLibrary`). Arguments and results are plain: numbers, texts, bytes and lists of them, so that
 * a recording can replace a machine. Callers parse the bytes.
 */
export interface Native {
  kernel32: Kernel32;
  ntdll: Ntdll;
  advapi32: Advapi32;
  powrprof: Powrprof;
  shell32: Shell32;
  user32: User32;
  wtsapi32: Wtsapi32;
  iphlpapi: Iphlpapi;
  coreaudio: CoreAudio;
  toasts: Toasts;
  wmi: Wmi;
  crypt32: Crypt32;
  rights: Rights;
  monitors: Dxva2Monitors;
  devices: KnownDevices;
}

const openers: { [K in keyof Native]: () => Native[K] } = {
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
