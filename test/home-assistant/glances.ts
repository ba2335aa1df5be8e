import type { RunningHostler } from '../real/harness/service.ts';
import { beginFlow, type ConfigEntry, type FlowStep, step } from './flows.ts';
import type { HomeAssistant } from './home-assistant.ts';
import { type Machine, plainPort } from './machine.ts';
import { machineAddress } from './network.ts';
import { expectTrue, type Report, secondsUntil } from './report.ts';

/** Home Assistant's own integration Glances, which reads our API of Glances. */
export async function checkGlances({ check }: Report, home: HomeAssistant, machine: Machine): Promise<void> {
  const enter = async (password: string): Promise<FlowStep> => {
    const account = { username: 'home-assistant', password };
    const { flow_id } = await beginFlow(home, { handler: 'glances' });
    return step(home, flow_id, { host: machineAddress, port: plainPort, ssl: false, verify_ssl: false, ...account });
  };
  await check('Glances: turned off, it is refused; turned on, a wrong password is', async () => {
    const { token } = machine.service();
    const errorWith = async (password: string) => (await enter(password)).errors?.base;
    const first = await errorWith(token);
    expectTrue(first === 'cannot_connect', `turned off: ${first}`);
    await machine.command('settings', 'set', 'glances.enabled', 'true');
    await secondsUntil('the API', async () => (await machine.service().get('/api/4/status')).ok);
    const second = await errorWith('wrong');
    expectTrue(second === 'invalid_auth', `wrong password: ${second}`);
    return '';
  });
  await check('Glances: every entity shows what the API answers', async () => {
    const { type, reason } = await enter(machine.service().token);
    expectTrue(type === 'create_entry', `${type} ${reason}`);
    return await compareGlances(home, machine.service());
  });
  await machine.command('settings', 'set', 'glances.enabled', 'false');
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of another program's API.
type Answered = any;

/** Reads all anew through Home Assistant, between two answers of the API; what changed more than the two differ is asked for again. */
async function compareGlances(home: HomeAssistant, service: RunningHostler): Promise<string> {
  const entries = (await home.rest<ConfigEntry[]>('GET', '/api/config/config_entries/entry')).body;
  const entry = entries.find(({ domain }) => domain === 'glances')?.entry_id ?? '';
  const valuesNow = async () => valuesIn(await (await service.get('/api/4/all')).json());
  let wrong: string[] = [];
  for (let round = 0; round < 5; round++) {
    const before = await valuesNow();
    await home.rest('POST', `/api/config/config_entries/entry/${entry}/reload`, {});
    const states = await home.states();
    const after = await valuesNow();
    const registered =
      await home.ask<{ entity_id: string; unique_id: string; platform: string }[]>('config/entity_registry/list');
    const shown = new Map(
      registered
        .filter(({ platform }) => platform === 'glances')
        .map(({ unique_id, entity_id }) => [unique_id.slice(entry.length + 1), states.get(entity_id)?.state]),
    );
    wrong = [...new Set([...before.keys(), ...shown.keys()])].flatMap((key) => {
      const [state, known, later] = [shown.get(key), before.get(key), after.get(key)];
      return known !== undefined && later !== undefined && isShown(state, known, later)
        ? []
        : [`${key} is ${state}, the API says ${known}, then ${later}`];
    });
    if (wrong.length === 0) return `${shown.size} entities after ${round + 1} rounds`;
  }
  throw new Error(wrong.join('; '));
}

/** `rate`: any number, because it is that of another moment. */
function isShown(state: string | undefined, before: number | 'rate', after: number | 'rate'): boolean {
  const value = Number(state?.includes('T') ? Date.parse(state) / 1000 : state);
  if (before === 'rate' || after === 'rate') return value >= 0;
  const slack = 0.02 * Math.max(before, after) + 1;
  return value >= Math.min(before, after) - slack && value <= Math.max(before, after) + slack;
}

/** By the end of the unique ids of the integration: label and kind. */
function valuesIn(all: Answered): Map<string, number | 'rate'> {
  const { mem, memswap, load, processcount, quicklook, uptime } = all;
  const rounded = (bytes: number, unit: number) => Math.round((bytes / unit) * 10) / 10;
  const [mib, gib] = [(bytes: number) => rounded(bytes, 2 ** 20), (bytes: number) => rounded(bytes, 2 ** 30)];
  const active = all.containers.filter(({ status }: Answered) => status === 'running' || status === 'healthy');
  const docker =
    all.containers.length === 0
      ? {}
      : { docker_active: active.length, docker_cpu_use: 'rate', docker_memory_use: 'rate' };
  const ofMachine = {
    ...{ memory_use_percent: mem.percent, memory_use: mib(mem.used), memory_free: mib(mem.free) },
    ...{ swap_use_percent: memswap.percent, swap_use: gib(memswap.used), swap_free: gib(memswap.free) },
    ...{ processor_load: load.min15, process_running: 'rate', process_total: processcount.total },
    ...{ process_thread: processcount.thread, process_sleeping: processcount.sleeping },
    ...(quicklook.cpu === null ? {} : { cpu_use_percent: 'rate' }),
    ...{ uptime: Date.now() / 1000 - secondsIn(uptime), ...docker },
  };
  const each = (list: Answered[], label: (entry: Answered) => string, values: (entry: Answered) => object) =>
    list.flatMap((entry) => Object.entries(values(entry)).map(([kind, value]) => [`${label(entry)}-${kind}`, value]));
  return new Map([
    ...each(
      [ofMachine],
      () => '',
      (entry) => entry,
    ),
    ...each(
      all.fs,
      ({ mnt_point }) => mnt_point,
      ({ percent, used, size, free }) => ({
        ...{ disk_use_percent: percent, disk_use: gib(used), disk_size: gib(size), disk_free: gib(free) },
      }),
    ),
    ...each(
      all.sensors,
      ({ label }) => label,
      ({ type, value }) => ({ [type]: value }),
    ),
    ...each(
      all.network,
      ({ interface_name }) => interface_name,
      () => ({ rx: 'rate', tx: 'rate' }),
    ),
    ...each(
      all.diskio,
      ({ disk_name }) => disk_name,
      () => ({ read: 'rate', write: 'rate' }),
    ),
    ...each(
      all.gpu,
      ({ name, gpu_id }) => `${name} (GPU ${gpu_id})`,
      ({ temperature, mem: used, proc, fan_speed }) => ({ temperature, mem: used, proc, fan_speed }),
    ),
  ] as [string, number | 'rate'][]);
}

/** Of `1 day, 2:03:04`. */
const secondsIn = (uptime: string): number => {
  const [, days = '0', hours, minutes, seconds] = /^(?:(\d+) days?, )?(\d+):(\d+):(\d+)$/.exec(uptime) ?? [];
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
};
