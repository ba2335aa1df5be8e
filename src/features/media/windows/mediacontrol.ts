import { defineLibrary } from '../../../host/native-library.ts';
import type { ComObject, ComScope } from '../../../host/windows/com/com.ts';
import {
  IAsyncOperation,
  IRandomAccessStreamReference,
  IReference,
  IVectorView,
} from '../../../host/windows/com/winrt.interfaces.ts';
import { openWinrt } from '../../../host/windows/com/winrt.ts';
import { unixSeconds } from '../../../host/windows/native/structs.ts';
import {
  MediaProperties,
  MediaSessionManager,
  PlaybackControls,
  PlaybackInfo,
  Session,
  SessionManagerStatics,
  TimelineProperties,
} from './mediacontrol.interfaces.ts';

export type MediaOrder =
  | { verb: 'PLAY' | 'PAUSE' | 'PLAY_PAUSE' | 'STOP' | 'NEXT' | 'PREVIOUS' }
  | { verb: 'POSITION'; seconds: number }
  | { verb: 'SHUFFLE'; on: boolean }
  /** 0 none, 1 track, 2 list. */
  | { verb: 'REPEAT'; mode: number };

export interface MediaSession {
  /** The AppUserModelID of the program, with a number appended if it has several sessions. */
  key: string;
  isCurrent: boolean;
  title: string;
  subtitle: string;
  artist: string;
  albumTitle: string;
  albumArtist: string;
  trackNumber: number;
  hasThumbnail: boolean;
  /** 1 music, 2 video, 3 image. */
  type: number | null;
  /** 0 closed, 1 opened, 2 changing, 3 stopped, 4 playing, 5 paused. */
  status: number;
  rate: number | null;
  shuffle: boolean | null;
  repeat: number | null;
  /** Seconds; `updatedAt` in Unix seconds, 0 or less: no position is reported. */
  timeline: { start: number; end: number; least: number; most: number; position: number; updatedAt: number };
  can: Record<(typeof abilities)[number][0], boolean>;
}

const className = 'Windows.Media.Control.GlobalSystemMediaTransportControlsSessionManager';
const abilities = [
  ['play', 'IsPlayEnabled'],
  ['pause', 'IsPauseEnabled'],
  ['stop', 'IsStopEnabled'],
  ['next', 'IsNextEnabled'],
  ['previous', 'IsPreviousEnabled'],
  ['toggle', 'IsPlayPauseToggleEnabled'],
  ['shuffle', 'IsShuffleEnabled'],
  ['repeat', 'IsRepeatEnabled'],
  ['seek', 'IsPlaybackPositionEnabled'],
] as const;
const plainOrders = {
  PLAY: 'TryPlayAsync',
  PAUSE: 'TryPauseAsync',
  PLAY_PAUSE: 'TryTogglePlayPauseAsync',
  STOP: 'TryStopAsync',
  NEXT: 'TrySkipNextAsync',
  PREVIOUS: 'TrySkipPreviousAsync',
} as const;
const ticks = 1e7;

export const mediacontrolLibrary = defineLibrary('mediacontrol', openMediaControl);

/**
 * Windows.Media.Control: the programs that the media keys control. Its calls block, so they run in a thread.
 * Not tested on Windows, only against a fake under Wine.
 */
function openMediaControl() {
  const winrt = openWinrt();
  type OneSession = ComObject<typeof Session>;

  const managerOf = (scope: ComScope) => {
    const statics = winrt.statics(scope, className, SessionManagerStatics);
    return statics === null ? null : winrt.awaited(statics.get(IAsyncOperation, 'RequestAsync'), MediaSessionManager);
  };

  const listed = (scope: ComScope): { key: string; session: OneSession; isCurrent: boolean }[] | null => {
    const manager = managerOf(scope);
    if (manager === null) return null;
    const current = manager.get(Session, 'GetCurrentSession');
    const currentApp = current === null ? null : winrt.text(current, 'SourceAppUserModelId');
    const list = manager.get(IVectorView, 'GetSessions');
    const seen = new Map<string, number>();
    return Array.from(
      { length: list?.ask('get_Size').u32() ?? 0 },
      (_, at) => list?.get(Session, 'GetAt', at) ?? null,
    ).flatMap((session) => {
      if (session === null) return [];
      const app = winrt.text(session, 'SourceAppUserModelId');
      const count = (seen.get(app) ?? 0) + 1;
      seen.set(app, count);
      return [{ key: count === 1 ? app : `${app}#${count}`, session, isCurrent: count === 1 && app === currentApp }];
    });
  };

  const propertiesOf = (session: OneSession) =>
    winrt.awaited(session.get(IAsyncOperation, 'TryGetMediaPropertiesAsync'), MediaProperties);

  const describe = (key: string, isCurrent: boolean, session: OneSession): MediaSession[] => {
    try {
      const [media, times] = [propertiesOf(session), session.get(TimelineProperties, 'GetTimelineProperties')];
      const info = session.get(PlaybackInfo, 'GetPlaybackInfo');
      const controls = info?.get(PlaybackControls, 'Controls') ?? null;
      const text = (method: keyof (typeof MediaProperties)['methods']) =>
        media === null ? '' : winrt.text(media, method);
      const time = (method: keyof (typeof TimelineProperties)['methods']) =>
        Number(times?.ask(method).i64() ?? 0n) / ticks;
      const reference = (method: keyof (typeof PlaybackInfo)['methods']) =>
        info?.get(IReference, method)?.ask('get_Value') ?? null;
      const updated = Number(times?.ask('LastUpdatedTime').i64() ?? 0n);
      return [
        {
          key,
          isCurrent,
          title: text('Title'),
          subtitle: text('Subtitle'),
          artist: text('Artist'),
          albumTitle: text('AlbumTitle'),
          albumArtist: text('AlbumArtist'),
          trackNumber: media?.ask('TrackNumber').i32() ?? 0,
          hasThumbnail: (media?.get(IRandomAccessStreamReference, 'Thumbnail') ?? null) !== null,
          type: (media?.get(IReference, 'PlaybackType') ?? null)?.ask('get_Value').i32() ?? null,
          status: info?.ask('PlaybackStatus').i32() ?? 0,
          rate: reference('PlaybackRate')?.f64() ?? null,
          shuffle:
            (reference('IsShuffleActive')?.u8() ?? null) === null ? null : reference('IsShuffleActive')?.u8() !== 0,
          repeat: reference('AutoRepeatMode')?.i32() ?? null,
          timeline: {
            start: time('StartTime'),
            end: time('EndTime'),
            least: time('MinSeekTime'),
            most: time('MaxSeekTime'),
            position: time('Position'),
            updatedAt: updated <= 0 ? 0 : unixSeconds(updated),
          },
          can: Object.fromEntries(
            abilities.map(([name, method]) => [name, (controls?.ask(method).u8() ?? 0) !== 0]),
          ) as MediaSession['can'],
        },
      ];
    } catch {
      // It has ended during the query.
      return [];
    }
  };

  const found = (scope: ComScope, key: string): OneSession => {
    const entry = listed(scope)?.find((one) => one.key === key);
    if (entry === undefined) throw new Error('the program has ended');
    return entry.session;
  };

  return {
    /** null: this Windows has no such class. */
    sessions: () =>
      winrt.within(
        (scope) => listed(scope)?.flatMap(({ key, isCurrent, session }) => describe(key, isCurrent, session)) ?? null,
      ),
    /** false: the program refused. Throws if it has ended. */
    order: (key: string, order: MediaOrder) =>
      winrt.within((scope) => {
        const session = found(scope, key);
        switch (order.verb) {
          case 'POSITION': {
            const at = BigInt(Math.round(order.seconds * ticks));
            return winrt.succeeded(session.get(IAsyncOperation, 'TryChangePlaybackPositionAsync', at));
          }
          case 'SHUFFLE':
            return winrt.succeeded(session.get(IAsyncOperation, 'TryChangeShuffleActiveAsync', order.on ? 1 : 0));
          case 'REPEAT':
            return winrt.succeeded(session.get(IAsyncOperation, 'TryChangeAutoRepeatModeAsync', order.mode));
          default:
            return winrt.succeeded(session.get(IAsyncOperation, plainOrders[order.verb]));
        }
      }),
    /** The artwork; null: none, or larger than the limit. */
    thumbnail: (key: string, most: number) =>
      winrt.within((scope) => {
        const reference = propertiesOf(found(scope, key))?.get(IRandomAccessStreamReference, 'Thumbnail') ?? null;
        return reference === null ? null : winrt.bytes(scope, reference, most);
      }),
  };
}
