import { big, type HidFamily, type HidReading, little, type Talk } from './sensors.hid.protocol.ts';

const vendor = 0x1b1c;
const coreXt = 0x0c2a;

/** Corsair's Commander Core, Core XT and ST. It answers only in software mode, so it is queried rarely. */
const commanderCore: HidFamily = {
  vendor,
  products: { 3100: 'Corsair Commander Core', [coreXt]: 'Corsair Commander Core XT', 3122: 'Corsair Commander ST' },
  interface: 0,
  everyMs: 10_000,
  begin: (product) => async (talk) => {
    await command(talk, [0x01, 0x03, 0x00, 0x02]);
    try {
      const speeds = await readMode(talk, { mode: 0x17, type: 0x06 });
      const temperatures = await readMode(talk, { mode: 0x21, type: 0x10 });
      return parseCommanderCore(speeds, temperatures, product !== coreXt);
    } finally {
      await command(talk, [0x01, 0x03, 0x00, 0x01]);
    }
  },
};

/** Every request begins with 8, every answer repeats the command. */
async function command(talk: Talk, bytes: number[]): Promise<Uint8Array> {
  talk.drain();
  await talk.send([0x08, ...bytes]);
  return talk.answer((report) => report[1] === bytes[0]);
}

/** The data after its type. */
async function readMode(talk: Talk, { mode, type }: { mode: number; type: number }): Promise<Uint8Array> {
  await command(talk, [0x05, 0x01, 0x00]);
  await command(talk, [0x0d, 0x00, mode]);
  const report = await command(talk, [0x08, 0x00]);
  if (little(report, 3) !== type) throw new Error(`The controller answered with data of type ${little(report, 3)}`);
  return report.subarray(5);
}

/** With a pump, the first port is its own. */
function parseCommanderCore(speeds: Uint8Array, temperatures: Uint8Array, withPump: boolean): HidReading {
  const indexes = (data: Uint8Array) => Array.from({ length: Math.min(data[0] ?? 0, 8) }, (_, index) => index);
  const number = (index: number) => (withPump ? index : index + 1);
  return {
    fans: indexes(speeds).map((index) => ({
      label: number(index) === 0 ? 'Pump' : `Fan ${number(index)}`,
      rpm: little(speeds, 1 + 2 * index),
    })),
    temperatures: indexes(temperatures)
      .filter((index) => temperatures[1 + 3 * index] === 0)
      .map((index) => ({
        label: number(index) === 0 ? 'Liquid' : `Probe ${number(index)}`,
        celsius: little(temperatures, 2 + 3 * index) / 10,
      })),
  };
}

/** Corsair's Commander Pro, also built into a case. Requests as in the kernel's corsair-cpro.c. */
const commanderPro: HidFamily = {
  vendor,
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

export const corsairFamilies: readonly HidFamily[] = [commanderPro, commanderCore];
