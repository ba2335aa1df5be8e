import path from 'node:path';
import { startPsutil } from '../real/harness/psutil.ts';
import type { Scene } from './scene.ts';

/** A value as psutil or the kernel has it, in the unit of the entity, and how much the two moments may differ. */
const references: Record<string, { python: string; within: number }> = {
  memory_used_percent: { python: 'psutil.virtual_memory().percent', within: 2 },
  memory_used: { python: '(lambda m: m.total - m.available)(psutil.virtual_memory()) / 2**30', within: 0.4 },
  memory_available: { python: 'psutil.virtual_memory().available / 2**30', within: 0.4 },
  swap_used_percent: { python: 'psutil.swap_memory().percent', within: 1 },
  disk_root_used: { python: '(lambda d: 100 * d.used / (d.used + d.free))(psutil.disk_usage("/"))', within: 1 },
  disk_root_free: { python: 'psutil.disk_usage("/").free / 1e9', within: 1 },
  cpu_load_1m: { python: 'psutil.getloadavg()[0]', within: 1.5 },
  last_boot: { python: 'psutil.boot_time()', within: 61 },
  processes: { python: 'len(psutil.pids())', within: 40 },
};

/** Compares what Home Assistant shows with psutil, as far as psutil knows it; what changed since the last update is compared again. */
export async function compareWithPsutil({ check, home, machine, idOf }: Scene, directory: string): Promise<void> {
  await check('numbers of the machine against psutil', async () => {
    // The one of the environment of Home Assistant, which sees the processes of this machine.
    const psutil = startPsutil(path.join(directory, 'in-tree.sh'));
    const { values } = (await (await machine.service().get('/api/data/entities')).json()) as {
      values: Record<string, unknown>;
    };
    const differences = async (keys: readonly string[]): Promise<Map<string, string>> => {
      const states = await home.states();
      const wrong = new Map<string, string>();
      for (const key of keys) {
        const { python = '', within = 0 } = references[key] ?? {};
        // Those that are off by default have no state.
        const shown = states.get(await idOf(key))?.state ?? String(values[key]);
        const number = Number.isNaN(Number(shown)) ? Date.parse(shown) / 1000 : Number(shown);
        const expected = await psutil.ask<number>(python);
        if (!(Math.abs(number - expected) <= within)) wrong.set(key, `${key} is ${shown}, psutil says ${expected}`);
      }
      return wrong;
    };
    try {
      const all = Object.keys(references).filter((key) => values[key] !== undefined && values[key] !== null);
      let wrong = await differences(all);
      for (let round = 0; round < 8 && wrong.size > 0; round++) {
        await Bun.sleep(4000);
        wrong = await differences([...wrong.keys()]);
      }
      if (wrong.size > 0) throw new Error([...wrong.values()].join('; '));
      return `${all.length} equal: ${all.join(', ')}`;
    } finally {
      psutil.stop();
    }
  });
}
