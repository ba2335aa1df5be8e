import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import published from '../../../src/transports/glances/fixtures/glances-4.5.5.json';
import { homarrReads, homepageReads } from '../../harness/glances-clients.ts';
import { startGlances } from '../harness/glances.ts';
import { needs } from '../harness/parts.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

// biome-ignore lint/suspicious/noExplicitAny: JSON of another program's API.
type Answered = Record<string, any>;

const startServing = (glances: Record<string, boolean> = {}) =>
  startHostler({
    prepare(directory) {
      const config = path.join(directory, 'config');
      fs.mkdirSync(config, { recursive: true });
      fs.writeFileSync(path.join(config, 'settings.json'), JSON.stringify({ glances: { enabled: true, ...glances } }));
    },
  });

const basic = (password: string) => ({ Authorization: `Basic ${btoa(`homepage:${password}`)}` });

test('a token is the password, and the secret address needs none', async () => {
  await using hostler = await startServing({ privatePath: true });
  expect((await hostler.get('/api/4/cpu/total', {})).status).toBe(401);
  expect((await hostler.get('/api/4/cpu/total', basic('wrong'))).status).toBe(401);
  expect(await (await hostler.get('/api/4/system/os_name', basic(hostler.token))).json()).toEqual({ os_name: 'Linux' });
  const { stdout } = await runHostler(['glances', 'url', '--json'], { directory: hostler.directory });
  const [url = ''] = JSON.parse(stdout).urls;
  const secret = new URL(url).pathname;
  expect((await hostler.get(`${secret}/api/4/status`, {})).status).toBe(200);
  expect((await hostler.get(`${secret.slice(0, -1)}/api/4/status`, {})).status).toBe(401);
  expect((await hostler.get(`${secret}/api/4/fs/mnt_point/value//`, {})).status).toBe(200);
  expect((await hostler.get(`${secret}/api/data/cpu`, {})).status).toBe(401);
  expect(hostler.output()).not.toContain(secret.slice('/glances/'.length));
});

test('this machine answers what Homepage and Homarr read', async () => {
  await using hostler = await startServing({ privatePath: true });
  const { stdout } = await runHostler(['glances', 'url', '--json'], { directory: hostler.directory });
  const secret = new URL(JSON.parse(stdout).urls[0]).pathname;
  const problems: string[] = [];
  const check = async (route: string, headers: Record<string, string>, schema: z.ZodType) => {
    const response = await hostler.get(route, headers);
    const { error } = schema.safeParse(await response.json());
    if (!response.ok || error) problems.push(`${route}: ${response.status} ${JSON.stringify(error?.issues)}`);
  };
  for (const version of [3, 4] as const)
    for (const [path, schema] of Object.entries(homepageReads(version)))
      await check(`/api/${version}/${path}`, basic(hostler.token), schema);
  for (const [path, schema] of Object.entries(homarrReads)) await check(`${secret}/api/4/${path}`, {}, schema);
  expect(problems).toEqual([]);
});

test('wrong passwords are counted: after some of them the address gets 429, and a valid one is still accepted', async () => {
  await using hostler = await startServing();
  const statuses: number[] = [];
  let retryAfter: string | null = null;
  while (statuses.at(-1) !== 429 && statuses.length < 100) {
    const response = await hostler.get('/api/4/cpu', basic(`wrong${statuses.length}`));
    statuses.push(response.status);
    retryAfter = response.headers.get('Retry-After');
  }
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(Number(retryAfter)).toBeGreaterThan(0);
  expect((await hostler.get('/api/4/status', basic(hostler.token))).status).toBe(200);
});

test('it can only be read: HEAD is answered as by Glances, other methods are refused', async () => {
  await using hostler = await startServing();
  const headers = basic(hostler.token);
  const ask = (method: string, route: string) => fetch(`${hostler.base}${route}`, { method, headers });
  expect((await ask('HEAD', '/api/4/status')).status).toBe(200);
  for (const [route, methods] of Object.entries(published.paths)) {
    if (methods !== 'POST') continue;
    expect([route, (await ask('POST', route.replace('{pid}', '1'))).status]).toEqual([route, 405]);
  }
});

describe.skipIf(!needs('glances'))('beside Glances of Debian, on the same machine', () => {
  test('every field has its name, type and value', async () => {
    await using glances = await startGlances();
    await using hostler = await startServing();
    const ask = async (plugin: string): Promise<[Answered, Answered]> => {
      const both = [glances.get(`/api/3/${plugin}`), hostler.get(`/api/3/${plugin}`)];
      return (await Promise.all(both.map(async (response) => await (await response).json()))) as [Answered, Answered];
    };
    // The second answers of both have rates.
    for (const _ of [1, 2]) await ask('all');
    await until(async () => ((await ask('cpu'))[0].time_since_update > 0 ? true : null));

    const [theirs, ours] = await ask('all');
    const differences: string[] = [];
    const within = (name: string, one: number, other: number, most: number) => {
      if (!(Math.abs(one - other) <= most)) differences.push(`${name}: ${one} there, ${other} here`);
    };
    const same = (name: string, one: unknown, other: unknown) => {
      if (JSON.stringify(one) !== JSON.stringify(other)) differences.push(`${name}: ${one} there, ${other} here`);
    };

    for (const [plugin, fields] of Object.entries(compared)) {
      const [there, here] = [theirs[plugin], ours[plugin]];
      for (const [field, most] of Object.entries(fields))
        if (most === 0) same(`${plugin}.${field}`, there[field], here[field]);
        else within(`${plugin}.${field}`, there[field], here[field], most * (there[field] || 1));
      const missing = Object.keys(there).filter((field) => !(field in here));
      same(`fields of ${plugin}`, missing, []);
    }
    for (const [plugin, key] of Object.entries({
      fs: 'mnt_point',
      network: 'interface_name',
      diskio: 'disk_name',
      percpu: 'cpu_number',
    })) {
      const names = (list: Answered[]) => list.map((entry) => entry[key]);
      const lacking = names(theirs[plugin]).filter((name) => !names(ours[plugin]).includes(name));
      same(
        `entries of ${plugin}`,
        // Partitions, and what other tests mount meanwhile.
        lacking.filter(
          (name) => (plugin !== 'diskio' || !/\d$/.test(name)) && !/^\/run\/netns|\/hostler-tests-/.test(name),
        ),
        [],
      );
      for (const there of theirs[plugin]) {
        const here = ours[plugin].find((entry: Answered) => entry[key] === there[key]);
        if (here === undefined) continue;
        same(
          `fields of ${plugin}`,
          Object.keys(there).filter((field) => !(field in here)),
          [],
        );
        for (const field of ['size', 'used', 'free', 'cumulative_rx', 'cumulative_tx'])
          if (field in there)
            within(`${plugin}.${there[key]}.${field}`, there[field], here[field], 0.05 * there[field] + 2 ** 24);
        for (const field of ['fs_type', 'device_name', 'is_up', 'speed', 'key'])
          if (field in there) same(`${plugin}.${there[key]}.${field}`, there[field], here[field]);
        if (plugin === 'fs') within(`fs.${there[key]}.percent`, there.percent, here.percent, 2);
      }
    }
    const first = (list: Answered[]) => list.find(({ pid }) => pid === process.pid) ?? {};
    const [there, here] = [first(theirs.processlist), first(ours.processlist)];
    for (const field of ['name', 'username', 'key', 'pid']) same(`processlist.${field}`, there[field], here[field]);
    within('processlist.memory_percent', there.memory_percent, here.memory_percent, 1);
    within('processlist.memory_info', there.memory_info[0], here.memory_info[0], 0.2 * there.memory_info[0]);
    const seconds = (text: string) =>
      text
        .split(/[:,]/)
        .map(Number)
        .reduce((sum, part) => sum * 60 + part, 0);
    within('uptime', seconds(theirs.uptime), seconds(ours.uptime), 30);
    same('now', theirs.now.slice(0, 15), ours.now.slice(0, 15));
    expect(differences).toEqual([]);
  });
});

/** Allowed relative difference; 0: the same. Usage is compared by type only, because both measure different moments. */
const compared: Record<string, Record<string, number>> = {
  cpu: { cpucore: 0 },
  load: { min1: 0.5, min5: 0.2, min15: 0.2, cpucore: 0 },
  mem: { total: 0, available: 0.2, used: 0.5, percent: 0.5, buffers: 0.3, cached: 0.3, active: 0.5, inactive: 0.5 },
  memswap: { total: 0, used: 0.2, free: 0.2 },
  processcount: { thread: 1, total: 0.3 },
  quicklook: { cpu_name: 0, cpu_hz_current: 0.5 },
  system: { os_name: 0, hostname: 0, platform: 0, os_version: 0 },
};
