import { defineStruct } from './structs.ts';

export const WTS_SESSION_INFOW = defineStruct('WTS_SESSION_INFOW', 24, {
  SessionId: [0, 'u32'],
  pWinStationName: [8, 'pointer'],
  State: [16, 'u32'],
});

export const WTSINFOW = defineStruct('WTSINFOW', 216, {
  LogonTime: [200, 'i64'],
});
