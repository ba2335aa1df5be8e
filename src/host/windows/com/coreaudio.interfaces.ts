import { defineInterface } from './interfaces.ts';

export const IMMDeviceEnumerator = defineInterface('IMMDeviceEnumerator', 'a95664d2-9614-4f35-a746-de8db63617e6', {
  EnumAudioEndpoints: [3, 'u32', 'u32', 'ptr'],
  GetDefaultAudioEndpoint: [4, 'u32', 'u32', 'ptr'],
  GetDevice: [5, 'ptr', 'ptr'],
});

export const IMMDeviceCollection = defineInterface('IMMDeviceCollection', '0bd7a1be-7a1a-44db-8397-cc5392387b5e', {
  GetCount: [3, 'ptr'],
  Item: [4, 'u32', 'ptr'],
});

export const IMMDevice = defineInterface('IMMDevice', 'd666063f-1587-4e43-81f1-b948e807363f', {
  Activate: [3, 'ptr', 'u32', 'u64', 'ptr'],
  OpenPropertyStore: [4, 'u32', 'ptr'],
  GetId: [5, 'ptr'],
});

export const IPropertyStore = defineInterface('IPropertyStore', '886d8eeb-8cf2-4446-8d02-cdba1dbdcf99', {
  GetValue: [5, 'ptr', 'ptr'],
  SetValue: [6, 'ptr', 'ptr'],
  Commit: [7],
});

export const IAudioEndpointVolume = defineInterface('IAudioEndpointVolume', '5cdf2c82-841e-4546-9722-0cf74078229a', {
  SetMasterVolumeLevelScalar: [7, 'f32', 'u64'],
  GetMasterVolumeLevelScalar: [9, 'ptr'],
  SetMute: [14, 'i32', 'u64'],
  GetMute: [15, 'ptr'],
});

export const IAudioSessionManager2 = defineInterface('IAudioSessionManager2', '77aa99a0-1bd6-484f-8bc7-2c654c9a9b6f', {
  GetSessionEnumerator: [5, 'ptr'],
});

export const IAudioSessionEnumerator = defineInterface(
  'IAudioSessionEnumerator',
  'e2f5bb11-0570-40ca-acdd-3aa01277dee8',
  { GetCount: [3, 'ptr'], GetSession: [4, 'i32', 'ptr'] },
);

export const IAudioSessionControl = defineInterface('IAudioSessionControl', 'f4b1a599-7266-4319-a8ca-e70acb11e8cd', {
  GetState: [3, 'ptr'],
  GetDisplayName: [4, 'ptr'],
});

export const IAudioSessionControl2 = defineInterface('IAudioSessionControl2', 'bfb7ff88-7239-4fc9-8fa2-07c950be9c6d', {
  GetState: [3, 'ptr'],
  GetDisplayName: [4, 'ptr'],
  GetSessionInstanceIdentifier: [13, 'ptr'],
  GetProcessId: [14, 'ptr'],
  IsSystemSoundsSession: [15],
});

export const ISimpleAudioVolume = defineInterface('ISimpleAudioVolume', '87ce5498-68d6-44e5-9215-6da47ef883d8', {
  SetMasterVolume: [3, 'f32', 'u64'],
  GetMasterVolume: [4, 'ptr'],
  SetMute: [5, 'i32', 'u64'],
  GetMute: [6, 'ptr'],
});

/** Undocumented: the settings of Windows use it, and every program that switches devices. Never executed on Windows. */
export const IPolicyConfig = defineInterface(
  'IPolicyConfig',
  'f8679f50-850a-41cf-9c72-430f290290c8',
  { SetDefaultEndpoint: [13, 'ptr', 'u32'] },
  'neither',
);
