import { address, pinned } from '../../ffi.ts';
import { guidBytes } from '../native/guid.ts';
import { textAt, wide } from '../native/memory.ts';
import { filledStruct, readStruct } from '../native/structs.ts';
import { win32 } from '../native/win32.ts';
import { type ComObject, type ComScope, openCom } from './com.ts';
import {
  IAudioEndpointVolume,
  IAudioSessionControl,
  IAudioSessionControl2,
  IAudioSessionEnumerator,
  IAudioSessionManager2,
  IMMDevice,
  IMMDeviceCollection,
  IMMDeviceEnumerator,
  IPolicyConfig,
  IPropertyStore,
  ISimpleAudioVolume,
} from './coreaudio.interfaces.ts';
import { PROPERTYKEY, PROPVARIANT } from './coreaudio.structs.ts';
import type { ComInterface } from './interfaces.ts';

/** Core Audio: outputs, inputs and what programs play. Volumes go from 0 to 1. Every call throws where Windows reports a failure. */
export type CoreAudio = ReturnType<typeof openCoreAudio>;

export interface AudioEndpoint {
  flow: 'output' | 'input';
  id: string;
  name: string;
  isDefault: boolean;
  volume: number;
  muted: boolean;
  sessions: AudioSession[];
}

export interface AudioSession {
  /** Unique among all sessions. */
  id: string;
  /** 0: no process, as the system sounds. */
  process: number;
  isSystem: boolean;
  /** Empty: not set by the program, as usual. */
  title: string;
  isActive: boolean;
  volume: number;
  muted: boolean;
}

const classes = {
  MMDeviceEnumerator: 'bcde0395-e52f-467c-8e3d-c4579291692e',
  PolicyConfigClient: '870af99c-171d-4f9e-af0d-e63df40c2bc9',
};
const flows = { output: 0, input: 1 };
const ACTIVE_DEVICES = 1;
const READ = 0;
const EXPIRED = 2;
const ACTIVE = 1;
const VT_LPWSTR = 31;
const ANY_CONTEXT = 0x17;
/** For games and the system, for music and films, for calls. */
const roles = [0, 1, 2];
const roleOfDefault = 0;

export function openCoreAudio() {
  const com = openCom();
  // PKEY_Device_FriendlyName.
  const nameKey = filledStruct(PROPERTYKEY, { fmtid: guidBytes('a45c254e-df1c-4efd-8020-67d146a850e0'), pid: 14 });

  type Device = ComObject<typeof IMMDevice>;
  const activated = <I extends ComInterface>(device: Device, of: I) =>
    present(device.get(of, 'Activate', guidBytes(of.id), ANY_CONTEXT, 0), of.name);

  const nameOf = (device: Device): string => {
    const value = pinned(PROPVARIANT.size);
    const store = present(device.get(IPropertyStore, 'OpenPropertyStore', READ), 'IPropertyStore');
    store.call('GetValue', address(nameKey), address(value));
    const { vt, pwszVal } = readStruct(PROPVARIANT, value);
    const name = vt === VT_LPWSTR ? textAt(pwszVal) : '';
    win32.PropVariantClear(address(value));
    return name;
  };

  const sessionControls = (device: Device) => {
    const manager = activated(device, IAudioSessionManager2);
    const list = present(manager.get(IAudioSessionEnumerator, 'GetSessionEnumerator'), 'IAudioSessionEnumerator');
    return Array.from({ length: list.ask('GetCount').i32() }, (_, index) =>
      list.get(IAudioSessionControl, 'GetSession', index)?.as(IAudioSessionControl2),
    ).flatMap((control) => {
      const volume = control?.as(ISimpleAudioVolume) ?? null;
      return control === null || control === undefined || volume === null ? [] : [{ control, volume }];
    });
  };

  const sessionsOf = (device: Device): AudioSession[] =>
    sessionControls(device).flatMap(({ control, volume }) => {
      const state = control.ask('GetState').i32();
      if (state === EXPIRED) return [];
      return {
        id: control.text('GetSessionInstanceIdentifier'),
        process: control.ask('GetProcessId').u32(),
        isSystem: control.attempt('IsSystemSoundsSession') === 0,
        title: control.text('GetDisplayName'),
        isActive: state === ACTIVE,
        volume: volume.ask('GetMasterVolume').f32(),
        muted: volume.ask('GetMute').i32() !== 0,
      };
    });

  const enumerator = (scope: ComScope) => scope.create(classes.MMDeviceEnumerator, IMMDeviceEnumerator);

  /** Skips a device that was removed meanwhile. */
  const describe = (device: Device, flow: AudioEndpoint['flow'], chosen: string | null): AudioEndpoint[] => {
    try {
      const id = device.text('GetId');
      const volume = activated(device, IAudioEndpointVolume);
      return [
        {
          flow,
          id,
          name: nameOf(device),
          isDefault: id === chosen,
          volume: volume.ask('GetMasterVolumeLevelScalar').f32(),
          muted: volume.ask('GetMute').i32() !== 0,
          sessions: sessionsOf(device),
        },
      ];
    } catch {
      return [];
    }
  };

  const defaultOf = (list: ComObject<typeof IMMDeviceEnumerator>, flow: AudioEndpoint['flow']): string | null => {
    try {
      return list.get(IMMDevice, 'GetDefaultAudioEndpoint', flows[flow], roleOfDefault)?.text('GetId') ?? null;
    } catch {
      // E_NOTFOUND: no such device.
      return null;
    }
  };

  const withDevice = (id: string, work: (device: Device) => void) =>
    com.within((scope) => work(present(enumerator(scope).get(IMMDevice, 'GetDevice', wide(id)), 'IMMDevice')));

  const withSession = (device: string, id: string, work: (volume: ComObject<typeof ISimpleAudioVolume>) => void) =>
    withDevice(device, (found) => {
      const session = sessionControls(found).find(({ control }) => control.text('GetSessionInstanceIdentifier') === id);
      if (session === undefined) throw new Error('the program has stopped meanwhile');
      work(session.volume);
    });

  return {
    devices: () =>
      com.within((scope) => {
        const list = enumerator(scope);
        return (['output', 'input'] as const).flatMap((flow) => {
          const chosen = defaultOf(list, flow);
          const found = list.get(IMMDeviceCollection, 'EnumAudioEndpoints', flows[flow], ACTIVE_DEVICES);
          return Array.from({ length: found?.ask('GetCount').u32() ?? 0 }, (_, index) =>
            found?.get(IMMDevice, 'Item', index),
          ).flatMap((device) => (device ? describe(device, flow, chosen) : []));
        });
      }),
    setVolume: (device: string, volume: number) =>
      withDevice(device, (found) =>
        activated(found, IAudioEndpointVolume).call('SetMasterVolumeLevelScalar', volume, 0),
      ),
    setMuted: (device: string, muted: boolean) =>
      withDevice(device, (found) => activated(found, IAudioEndpointVolume).call('SetMute', muted ? 1 : 0, 0)),
    setSessionVolume: (device: string, session: string, volume: number) =>
      withSession(device, session, (found) => found.call('SetMasterVolume', volume, 0)),
    setSessionMuted: (device: string, session: string, muted: boolean) =>
      withSession(device, session, (found) => found.call('SetMute', muted ? 1 : 0, 0)),
    /** For everything: games, music and calls. */
    setDefault: (device: string) =>
      com.within((scope) => {
        const policy = scope.create(classes.PolicyConfigClient, IPolicyConfig);
        for (const role of roles) policy.call('SetDefaultEndpoint', wide(device), role);
      }),
  };
}

function present<T>(object: T | null, name: string): T {
  if (object === null) throw new Error(`Windows returned no ${name}`);
  return object;
}
