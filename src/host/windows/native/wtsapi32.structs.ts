import { defineStruct } from './structs.ts';

export const WTS_SESSION_INFOW = defineStruct('WTS_SESSION_INFOW', 24, {
  SessionId: [0, 'u32'],
  pWinStationName: [8, 'pointer'],
  State: [16, 'u32'],
});

export const WTSINFOW = defineStruct('WTSINFOW', 216, {
  LogonTime: [200, 'i64'],
});

/** Level 1, of which there is no other. */
export const WTSINFOEXW = defineStruct('WTSINFOEXW', 232, {
  Level: [0, 'u32'],
  'Data.WTSInfoExLevel1.SessionFlags': [16, 'i32'],
});
