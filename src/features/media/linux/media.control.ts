import { BusError, variant } from '@hostler/dbus/dbus.ts';
import type { PulseAudio } from '@hostler/pulseaudio/audio.ts';
import { percentOf, scaledTo } from '@hostler/pulseaudio/volume.ts';
import type { ActionContext, ActionResult } from '../../../core/action.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { NoPulseServer, type PulseHost, withPulse } from '../../../host/linux/sound/pulse.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { MediaControl } from '../media.contract.ts';
import { isVolume, type MediaRequest, playerNamed, readMediaRequest, type VolumeRequest } from '../media.request.ts';
import type { MediaControlInput, MediaControlOutput } from '../media.schema.ts';
import { orderPlayer, sending } from './media.player.ts';
import type { Player } from './mpris.entry.ts';
import { type Mpris, mprisOf } from './mpris.ts';
import { toNumber } from './mpris.values.ts';

export const mediaControlLinux = (host: LinuxHost): MediaControl => ({
  unavailable: () => unavailable(host),
  control: (input, { keep }) => control(host, input, keep),
});

async function control(
  host: LinuxHost,
  input: MediaControlInput,
  keep: ActionContext['keep'],
): Promise<ActionResult<MediaControlOutput>> {
  const { name: action, request } = readMediaRequest(input);
  const mpris = mprisOf(host);
  const player = choose(await playersOf(mpris, request), input.player ?? null, action);
  if (!isVolume(request)) {
    if (player === null) throw noPlayer(action);
    await orderPlayer(mpris, player, request);
    return done({ action, player: player.name, volume: null }, `${action} was sent to ${player.identity}`);
  }
  if (player !== null) {
    const volume = await setPlayerVolume(mpris, player, request, keep(createMuted).levels, host.clock);
    if (volume !== null) return done({ action, player: player.name, volume }, volumeIs(player.identity, volume));
    if (input.player) throw new ServiceError('unsupported', `${player.identity} has no volume of its own`);
  }
  const sink = await setSystemVolume(host, request);
  return done({ action, player: null, volume: sink.volume }, volumeIs(sink.description, sink.volume));
}

async function unavailable(host: LinuxHost): Promise<string | null> {
  try {
    await mprisOf(host).players();
    return null;
  } catch (error) {
    return (await systemSound(host)) === null
      ? null
      : `There are neither media players nor a sound server: ${messageOf(error)}`;
  }
}

/** Without a session bus there are no players, but there may be a sound server. */
async function playersOf(mpris: Mpris, request: MediaRequest): Promise<Player[]> {
  try {
    return await mpris.players();
  } catch (error) {
    if (isVolume(request)) return [];
    throw new ServiceError('unsupported', `There is no media player: ${messageOf(error)}`, { cause: error });
  }
}

/** By its name, its name without the instance, or its identity. Without a name: the first that answers. */
export function choose(players: Player[], wanted: string | null, action: string): Player | null {
  if (wanted === null || wanted === '') return players.find(({ silent }) => !silent) ?? null;
  const named = playerNamed(players, wanted, namesOf, action);
  if (named.silent) throw new ServiceError('failed', `${named.identity} does not answer; restart it`);
  return named;
}

const namesOf = ({ name, identity }: Player) => [name, name.replace(/\.instance.*$/i, ''), identity] as const;

const noPlayer = (action: string) =>
  new ServiceError('unsupported', `There is no media player to ${action}; start one`);

const volumeIs = (whose: string, volume: number) => `The volume of ${whose} is ${volume}`;

function done(data: MediaControlOutput, message: string): ActionResult<MediaControlOutput> {
  return { data, message };
}

/** Levels of players before they were muted, 0-1, by connection: a restarted player has none. */
const createMuted = () => ({ levels: new Map<string, number>() });

/** Level for unmuting a player without a remembered one. */
const usualLevel = 0.5;
/** Some players report a new level with a delay, ms. */
const settleMs = 250;

/** The new volume, 0-100. null: the player has none, or does not accept one. */
async function setPlayerVolume(
  mpris: Mpris,
  player: Player,
  request: VolumeRequest,
  muted: Map<string, number>,
  clock: Clock,
): Promise<number | null> {
  const { volume: before, can, owner } = player;
  if (before === null || !can.control) return null;
  const wanted = levelAfter(request, before, muted.get(owner));
  const reached = await sending(player, request.verb, () => reach(mpris, player, wanted, clock));
  if (reached === null) return null;
  if (request.verb === 'MUTE' && before > 0) muted.set(owner, before);
  else muted.delete(owner);
  return Math.round(Math.min(1, reached) * 100);
}

function levelAfter(request: VolumeRequest, before: number, remembered: number | undefined): number {
  if (request.verb === 'VOLUME') return request.amount / 100;
  if (request.verb === 'VOLUME_STEP') return Math.max(0, Math.min(1, Math.round(before * 100 + request.amount) / 100));
  return before > 0 ? 0 : (remembered ?? usualLevel);
}

/** Browsers announce a volume but ignore writes, so it is read back. */
async function reach(mpris: Mpris, player: Player, wanted: number, clock: Clock): Promise<number | null> {
  const before = player.volume;
  if (before !== null && isNear(before, wanted)) return wanted;
  try {
    await mpris.set(player, 'Volume', variant('d', wanted));
  } catch (error) {
    if (error instanceof BusError && !error.errorName.startsWith('Client.')) return null;
    throw error;
  }
  const now = async () => toNumber(await mpris.get(player, 'Volume'));
  const soon = await now();
  if (soon !== null && isNear(soon, wanted)) return wanted;
  await sleep(clock, settleMs);
  const later = await now();
  return later === null || (before !== null && isNear(later, before)) ? null : later;
}

const isNear = (a: number, b: number) => Math.abs(a - b) < 0.005;

const answerTimeoutMs = 2000;

/** The default output. `volume` is 0-100, and 0 while muted. */
async function setSystemVolume(
  host: PulseHost,
  request: VolumeRequest,
): Promise<{ description: string; volume: number }> {
  try {
    return await withPulse(host, answerTimeoutMs, (pulse) => change(pulse, request));
  } catch (error) {
    throw new ServiceError(error instanceof NoPulseServer ? 'unsupported' : 'failed', problem(error), { cause: error });
  }
}

/** null: a sound server is running. */
async function systemSound(host: PulseHost): Promise<string | null> {
  try {
    await withPulse(host, answerTimeoutMs, (pulse) => pulse.defaultSink());
    return null;
  } catch (error) {
    return problem(error);
  }
}

function problem(error: unknown): string {
  if (error instanceof NoPulseServer) {
    return 'No player has a volume, and no sound server is running: start PipeWire with pipewire-pulse, or PulseAudio';
  }
  return `The sound server cannot set the volume: ${messageOf(error)}`;
}

async function change(pulse: PulseAudio, request: VolumeRequest): Promise<{ description: string; volume: number }> {
  const { index, description, volume, muted } = await pulse.defaultSink();
  const percent = percentOf(volume);
  if (request.verb === 'MUTE') {
    await pulse.setDeviceMuted('sink', index, !muted);
    return { description, volume: muted ? percent : 0 };
  }
  const wanted = request.verb === 'VOLUME' ? request.amount : step(percent, request);
  await pulse.setDeviceVolume('sink', index, scaledTo(volume, wanted));
  return { description, volume: muted ? 0 : Math.round(wanted) };
}

/** A step up does not reduce a volume above 100 %. */
function step(percent: number, request: VolumeRequest): number {
  const amount = request.verb === 'VOLUME_STEP' ? request.amount : 0;
  return Math.max(0, Math.min(Math.max(100, percent), percent + amount));
}
