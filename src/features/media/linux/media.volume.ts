import { BusError, variant } from '@hostler/dbus/dbus.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { VolumeRequest } from '../media.request.ts';
import { sending } from './media.player.ts';
import type { Player } from './mpris.entry.ts';
import type { Mpris } from './mpris.ts';
import { toNumber } from './mpris.values.ts';

/** Levels of players before they were muted, 0-1, by connection: a restarted player has none. */
export const createMuted = () => ({ levels: new Map<string, number>() });

/** Level for unmuting a player without a remembered one. */
const usualLevel = 0.5;
/** Some players report a new level with a delay, ms. */
const settleMs = 250;

/** The new volume, 0-100. null: the player has none, or does not accept one. */
export async function setPlayerVolume(
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
