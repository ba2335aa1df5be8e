import { copyFrom } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot, textAt } from './memory.ts';
import { defineStruct, readStruct, unixSeconds } from './structs.ts';

/** wtsapi32.dll: who is logged in. */
export interface Wtsapi32 {
  /** null: the call failed. */
  sessions(): TerminalSession[] | null;
}

export interface TerminalSession {
  id: number;
  /** As in Console or RDP-Tcp#0. */
  station: string;
  /** 0: active. */
  state: number;
  user: string;
  /** Machine it comes from; empty for a local one. */
  client: string;
  /** Unix seconds; 0: unknown. */
  since: number;
}

const { WTSUserName, WTSClientName, WTSSessionInfo } = { WTSUserName: 5, WTSClientName: 10, WTSSessionInfo: 24 };

export function openWtsapi32(): Wtsapi32 {
  const functions = systemLibrary('wtsapi32.dll', {
    WTSEnumerateSessionsW: { args: ['u64', 'u32', 'u32', 'ptr', 'ptr'], returns: 'i32' },
    WTSQuerySessionInformationW: { args: ['u64', 'u32', 'u32', 'ptr', 'ptr'], returns: 'i32' },
    WTSFreeMemory: { args: ['u64'], returns: 'void' },
  });
  const about = <T>(session: number, what: number, read: (place: number, bytes: number) => T): T | null => {
    const [place, length] = [slot(), slot()];
    if (!functions.WTSQuerySessionInformationW(0, session, what, place.place, length.place)) return null;
    const value = read(place.u64(), length.u32());
    functions.WTSFreeMemory(place.u64());
    return value;
  };
  const text = (session: number, what: number) =>
    about(session, what, (place, bytes) => textAt(place, bytes / 2)) ?? '';
  const since = (session: number) =>
    about(session, WTSSessionInfo, (place, bytes) => {
      const { LogonTime } = readStruct(WTSINFOW, copyFrom(place, Math.max(bytes, WTSINFOW.size)));
      return LogonTime <= 0 ? 0 : Math.max(0, unixSeconds(LogonTime));
    }) ?? 0;
  return {
    sessions() {
      const [list, count] = [slot(), slot()];
      if (!functions.WTSEnumerateSessionsW(0, 0, 1, list.place, count.place)) return null;
      const { size } = WTS_SESSION_INFOW;
      const bytes = copyFrom(list.u64(), size * count.u32());
      const found = Array.from({ length: count.u32() }, (_, index) => {
        const { SessionId, pWinStationName, State } = readStruct(WTS_SESSION_INFOW, bytes, index * size);
        return {
          id: SessionId,
          station: textAt(pWinStationName),
          state: State,
          user: text(SessionId, WTSUserName),
          client: text(SessionId, WTSClientName),
          since: since(SessionId),
        };
      });
      functions.WTSFreeMemory(list.u64());
      return found;
    },
  };
}

export const WTS_SESSION_INFOW = defineStruct('WTS_SESSION_INFOW', 24, {
  SessionId: [0, 'u32'],
  pWinStationName: [8, 'pointer'],
  State: [16, 'u32'],
});

export const WTSINFOW = defineStruct('WTSINFOW', 216, {
  LogonTime: [200, 'i64'],
});
