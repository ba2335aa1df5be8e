import { copyFrom } from '../../ffi.ts';
import { slot, textAt } from './memory.ts';
import { defineStruct, readStruct, readStructs, unixSeconds } from './structs.ts';
import { win32 } from './win32.ts';

const WTSUserName = 5;
const WTSWinStationName = 6;
const WTSConnectState = 8;
const WTSClientName = 10;
const WTSSessionInfo = 24;
const WTSSessionInfoEx = 25;
/** WTS_CURRENT_SESSION. */
const own = 0xffffffff;
/** WTS_SESSIONSTATE_LOCK and WTS_SESSIONSTATE_UNLOCK. */
const { LOCKED, UNLOCKED } = { LOCKED: 0, UNLOCKED: 1 };

/** wtsapi32.dll: login sessions. */
export function openWtsapi32() {
  const about = <T>(session: number, what: number, read: (place: number, bytes: number) => T): T | null => {
    const [place, length] = [slot(), slot()];
    if (!win32.WTSQuerySessionInformationW(0, session, what, place.place, length.place)) return null;
    const value = read(place.u64(), length.u32());
    win32.WTSFreeMemory(place.u64());
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
    /** As in Console or RDP-Tcp#0, of the session of this process; empty: unknown. */
    ownStation: () => text(own, WTSWinStationName),
    /** Whether the session of this process is locked; null: not reported. */
    isLocked: () =>
      about(own, WTSSessionInfoEx, (place, bytes) => {
        if (bytes < WTSINFOEXW.size) return null;
        const info = readStruct(WTSINFOEXW, copyFrom(place, WTSINFOEXW.size));
        const flags = info['Data.WTSInfoExLevel1.SessionFlags'];
        return info.Level === 1 && (flags === LOCKED || flags === UNLOCKED) ? flags === LOCKED : null;
      }),
    /** Of the session of this process: 0 active, 4 disconnected; null: not reported. */
    ownState: () => about(own, WTSConnectState, (place, bytes) => (bytes < 4 ? null : (copyFrom(place, 4)[0] ?? null))),
    /** null: the call failed. */
    sessions() {
      const [list, count] = [slot(), slot()];
      if (!win32.WTSEnumerateSessionsW(0, 0, 1, list.place, count.place)) return null;
      const bytes = copyFrom(list.u64(), WTS_SESSION_INFOW.size * count.u32());
      const found = readStructs(WTS_SESSION_INFOW, bytes).map(({ SessionId, pWinStationName, State }) => ({
        id: SessionId,
        /** As in Console or RDP-Tcp#0. */
        station: textAt(pWinStationName),
        /** 0: active. */
        state: State,
        user: text(SessionId, WTSUserName),
        /** Remote client; empty for a local session. */
        client: text(SessionId, WTSClientName),
        /** Unix seconds; 0: unknown. */
        since: since(SessionId),
      }));
      win32.WTSFreeMemory(list.u64());
      return found;
    },
  };
}

const WTS_SESSION_INFOW = defineStruct('WTS_SESSION_INFOW', 24, {
  SessionId: [0, 'u32'],
  pWinStationName: [8, 'pointer'],
  State: [16, 'u32'],
});

const WTSINFOW = defineStruct('WTSINFOW', 216, {
  LogonTime: [200, 'i64'],
});

/** Level 1, of which there is no other. */
const WTSINFOEXW = defineStruct('WTSINFOEXW', 232, {
  Level: [0, 'u32'],
  'Data.WTSInfoExLevel1.SessionFlags': [16, 'i32'],
});
