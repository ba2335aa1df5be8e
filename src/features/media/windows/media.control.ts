import type { CoreAudio } from '../../../host/windows/com/coreaudio.ts';
import type { Elsewhere } from '../../../host/windows/native-threads.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { MediaControl } from '../media.contract.ts';
import { isVolume, type PlayerRequest, playerNamed, readMediaRequest, type VolumeRequest } from '../media.request.ts';
import type { MediaControlInput } from '../media.schema.ts';
import { appName, sessionPosition } from './media-session.ts';
import type { MediaOrder, MediaSession } from './mediacontrol.ts';
import { mediacontrolLibrary } from './mediacontrol.ts';

/** The programs that the media keys of Windows control, and the system volume. Tested against fakes only. */
export const mediaControlWindows = (host: Pick<WindowsHost, 'nativeElsewhere' | 'clock'>): MediaControl => {
  const media = host.nativeElsewhere(mediacontrolLibrary);
  const audio = host.nativeElsewhere('coreaudio');
  const sessions = async () =>
    ((await failing(() => media.sessions())) ?? []).sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));

  const control = async (input: MediaControlInput) => {
    const { name: action, request } = readMediaRequest(input);
    if (isVolume(request)) {
      if (input.player) throw new ServiceError('unsupported', `${appName(input.player)} has no volume of its own here`);
      const { name, volume } = await failing(() => setVolume(audio, request));
      return { data: { action, player: null, volume }, message: `The volume of ${name} is ${volume}` };
    }
    const player = choose(await sessions(), input.player ?? null, action);
    const identity = appName(player.key);
    if (!isAble[request.verb](player)) throw new ServiceError('unsupported', `${identity} cannot ${request.verb} now`);
    const done = await failing(() => media.order(player.key, toOrder(player, request, host.clock.now() / 1000)));
    if (!done) throw new ServiceError('failed', `${identity} refused to ${action}`);
    return { data: { action, player: player.key, volume: null }, message: `${action} was sent to ${identity}` };
  };
  return {
    unavailable: () =>
      media.sessions().then((found) => (found === null ? 'This Windows has no media controls' : null), messageOf),
    control,
  };
};

async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `Windows reported a failure: ${messageOf(cause)}`, { cause });
  }
}

/** By its id or its name. */
function choose(players: MediaSession[], wanted: string | null, action: string): MediaSession {
  if (wanted) return playerNamed(players, wanted, ({ key }) => [key, appName(key)], action);
  const [current] = players;
  if (current === undefined) throw new ServiceError('unsupported', `There is no media player to ${action}; start one`);
  return current;
}

const PLAYING = 4;
const modes = { NONE: 0, TRACK: 1, LIST: 2 };

const isAble: Record<PlayerRequest['verb'], (player: MediaSession) => boolean> = {
  PLAY: ({ can, status }) => can.play || status === PLAYING,
  PAUSE: ({ can, status }) => can.pause || status !== PLAYING,
  PLAY_PAUSE: ({ can, status }) => can.toggle || (status === PLAYING ? can.pause : can.play),
  STOP: ({ can }) => can.stop,
  NEXT: ({ can }) => can.next,
  PREVIOUS: ({ can }) => can.previous,
  SEEK: ({ can }) => can.seek,
  POSITION: ({ can }) => can.seek,
  SHUFFLE: ({ can }) => can.shuffle,
  REPEAT: ({ can }) => can.repeat,
};

function toOrder(player: MediaSession, request: PlayerRequest, now: number): MediaOrder {
  const { start, least, most } = player.timeline;
  const within = (seconds: number) => Math.max(least, most > least ? Math.min(most, seconds) : seconds);
  switch (request.verb) {
    case 'SEEK':
      return { verb: 'POSITION', seconds: within(start + (sessionPosition(player, now) ?? 0) + request.amount) };
    case 'POSITION':
      return { verb: 'POSITION', seconds: within(start + request.amount) };
    case 'SHUFFLE':
      return { verb: 'SHUFFLE', on: request.on };
    case 'REPEAT':
      return { verb: 'REPEAT', mode: modes[request.mode] };
    case 'PLAY_PAUSE':
      // Some players have no toggle.
      return { verb: player.can.toggle ? 'PLAY_PAUSE' : player.status === PLAYING ? 'PAUSE' : 'PLAY' };
    default:
      return { verb: request.verb };
  }
}

/** Of the default output; 0 while muted. */
async function setVolume(
  audio: Elsewhere<CoreAudio>,
  request: VolumeRequest,
): Promise<{ name: string; volume: number }> {
  const output = (await audio.devices()).find(({ flow, isDefault }) => flow === 'output' && isDefault);
  if (output === undefined) throw new ServiceError('unsupported', 'There is no output whose volume could be set');
  const { id, name, muted } = output;
  const before = Math.round(100 * output.volume);
  if (request.verb === 'MUTE') {
    await audio.setMuted(id, !muted);
    return { name, volume: muted ? before : 0 };
  }
  const wanted = request.verb === 'VOLUME' ? request.amount : before + request.amount;
  const volume = Math.round(Math.max(0, Math.min(100, wanted)));
  await audio.setVolume(id, volume / 100);
  return { name, volume: muted ? 0 : volume };
}
