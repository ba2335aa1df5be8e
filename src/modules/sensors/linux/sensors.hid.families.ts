import { commanderCore } from './sensors.hid.commander-core.ts';
import { commanderPro } from './sensors.hid.commander-pro.ts';
import { krakenX2 } from './sensors.hid.kraken-x2.ts';
import { krakenX3 } from './sensors.hid.kraken-x3.ts';
import { krakenZ3 } from './sensors.hid.kraken-z3.ts';
import { smartDevice } from './sensors.hid.smart-device.ts';
import { smartDevice2 } from './sensors.hid.smart-device2.ts';
import type { Talk } from './sensors.hid.talk.ts';

/** Controllers that are spoken to in the same way. */
export interface HidFamily {
  vendor: number;
  /** Their names by USB product. */
  products: Record<number, string>;
  /** Of several interfaces, the one that is meant. */
  interface?: number;
  /** It is asked no more often than this. */
  everyMs?: number;
  /** Begins with one controller; what it needs to remember lives in the closure. null from a read: nothing new. */
  begin(product: number): (talk: Talk) => Promise<HidReading | null>;
}

export interface HidReading {
  temperatures: { label: string; celsius: number }[];
  fans: { label: string; rpm: number }[];
}

export const hidFamilies: HidFamily[] = [
  krakenX2,
  krakenX3,
  krakenZ3,
  smartDevice,
  smartDevice2,
  commanderPro,
  commanderCore,
];
