import type { HidFamily, HidReading, Talk } from './sensors.hid.protocol.ts';
import { big } from './sensors.hid.protocol.ts';

/** Corsair's Commander Pro, also built into a case. Requests as in the kernel's corsair-cpro.c. */
export const commanderPro: HidFamily = {
  vendor: 0x1b1c,
  products: { 3088: 'Corsair Commander Pro', 7424: 'Corsair Obsidian 1000D' },
  begin() {
    let plugged: { probes: number[]; fans: number[] } | null = null;
    return async (talk) => {
      plugged ??= { probes: await connected(talk, 0x10, 4), fans: await connected(talk, 0x20, 6) };
      const reading: HidReading = { temperatures: [], fans: [] };
      for (const probe of plugged.probes) {
        const report = await ask(talk, [0x11, probe]);
        if (report !== null) reading.temperatures.push({ label: `Probe ${probe + 1}`, celsius: big(report, 1) / 100 });
      }
      for (const fan of plugged.fans) {
        const report = await ask(talk, [0x21, fan]);
        if (report !== null) reading.fans.push({ label: `Fan ${fan + 1}`, rpm: big(report, 1) });
      }
      return reading;
    };
  },
};

async function connected(talk: Talk, command: number, channels: number): Promise<number[]> {
  const report = await ask(talk, [command]);
  return Array.from({ length: channels }, (_, channel) => channel).filter((channel) => report?.[channel + 1]);
}

/** null: the device refuses. Its answers do not name their request, so only one is open at a time. */
async function ask(talk: Talk, command: number[]): Promise<Uint8Array | null> {
  talk.drain();
  await talk.send(command);
  const report = await talk.answer(() => true);
  return report[0] === 0 ? report : null;
}
