import type { PulseVolume } from './tagstruct.ts';

/** 100 % of a channel. */
const full = 65_536;

/** Of the loudest channel; 100 is full volume without amplification. */
export function percentOf(volume: PulseVolume): number {
  return Math.round((Math.max(0, ...volume) / full) * 100);
}

/** Preserves the balance between the channels. */
export function scaledTo(volume: PulseVolume, percent: number): PulseVolume {
  const wanted = (percent / 100) * full;
  const loudest = Math.max(0, ...volume);
  return volume.map((channel) => Math.round(loudest === 0 ? wanted : (channel / loudest) * wanted));
}
