import { BusError, variant } from '@hostler/dbus/dbus.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { PlayerRequest, Repeat } from '../media.request.ts';
import type { Player } from './mpris.entry.ts';
import type { Mpris } from './mpris.ts';
import { toSeconds } from './mpris.values.ts';

/** Everything except the volume. Throws unsupported, with the name of the player, for what it does not announce as possible. */
export async function orderPlayer(mpris: Mpris, player: Player, request: PlayerRequest): Promise<void> {
  if (!isAble[request.verb](player)) {
    throw new ServiceError('unsupported', `${player.identity} cannot ${request.verb} now`);
  }
  await sending(player, request.verb, () => send(mpris, player, request));
}

const isAble: Record<PlayerRequest['verb'], (player: Player) => boolean> = {
  PLAY: ({ can, status }) => can.play || status === 'PLAYING',
  PAUSE: ({ can, status }) => can.pause || (can.control && status === 'PAUSED'),
  PLAY_PAUSE: ({ can, status }) => (status === 'PLAYING' ? can.pause : can.play),
  STOP: ({ can }) => can.control,
  NEXT: ({ can }) => can.next,
  PREVIOUS: ({ can }) => can.previous,
  SEEK: ({ can }) => can.seek,
  POSITION: ({ can }) => can.seek,
  SHUFFLE: ({ can, shuffle }) => can.control && shuffle !== null,
  REPEAT: ({ can, repeat }) => can.control && repeat !== null,
};

const methods = { PLAY_PAUSE: 'PlayPause', STOP: 'Stop', NEXT: 'Next', PREVIOUS: 'Previous' };
const loops: Record<Repeat, string> = { NONE: 'None', TRACK: 'Track', LIST: 'Playlist' };

async function send(mpris: Mpris, player: Player, request: PlayerRequest): Promise<void> {
  switch (request.verb) {
    case 'PLAY':
      // Some players treat it as a toggle.
      if (player.status !== 'PLAYING') await mpris.call(player, 'Play');
      return;
    case 'PAUSE':
      if (player.status !== 'PAUSED') await mpris.call(player, 'Pause');
      return;
    case 'SEEK':
      return mpris.call(player, 'Seek', 'x', [microseconds(request.amount)]);
    case 'POSITION':
      return goTo(mpris, player, request.amount);
    case 'SHUFFLE':
      return mpris.set(player, 'Shuffle', variant('b', request.on));
    case 'REPEAT':
      return mpris.set(player, 'LoopStatus', variant('s', loops[request.mode]));
    default:
      return mpris.call(player, methods[request.verb]);
  }
}

const microseconds = (seconds: number) => Math.round(seconds * 1_000_000);

/** Players ignore a position beyond the end. */
async function goTo(mpris: Mpris, player: Player, wanted: number): Promise<void> {
  const { id, length } = player.track;
  const seconds = length ? Math.min(wanted, length) : wanted;
  if (id !== null && isObjectPath(id)) {
    return mpris.call(player, 'SetPosition', 'ox', [id, microseconds(seconds)]);
  }
  // Without a track id only a relative seek is possible.
  const now = toSeconds(await mpris.get(player, 'Position')) ?? 0;
  await mpris.call(player, 'Seek', 'x', [microseconds(seconds - now)]);
}

const isObjectPath = (text: string) => /^\/(?:\w+(?:\/\w+)*)?$/.test(text);

/** Adds the name of the player to a refusal or a timeout. */
export async function sending<T>(player: Player, verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof BusError)) throw cause;
    if (cause.errorName === 'Client.Timeout') {
      throw new ServiceError('failed', `${player.identity} did not answer within 2 s; restart it`, { cause });
    }
    const unable = /\.(NotSupported|UnknownMethod|UnknownProperty|PropertyReadOnly)$/.test(cause.errorName);
    const sentence = `${player.identity} refused to ${verb}: ${messageOf(cause)}`;
    throw new ServiceError(unable ? 'unsupported' : 'failed', sentence, { cause });
  }
}
