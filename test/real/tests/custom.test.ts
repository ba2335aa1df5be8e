// tier: full
import { expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

setDefaultTimeout(300_000);

interface Found {
  id: string;
  value: unknown;
  at: number | null;
  error: string | null;
}

const sh = (id: string, script: string) => ({
  id,
  name: id,
  command: '/bin/sh',
  workingDir: '',
  arguments: ['-c', script],
});

const settingsOf = (directory: string) => path.join(directory, 'config', 'settings.json');

function configure(directory: string, sensors: object[], allowlist: object[] = [], more: object = {}): void {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(settingsOf(directory), JSON.stringify({ commands: { allowlist }, custom: { sensors }, ...more }));
}

async function look(hostler: RunningHostler): Promise<Record<string, Found>> {
  const { sensors } = (await (await hostler.get('/api/data/custom')).json()) as { sensors: Found[] };
  return Object.fromEntries(sensors.map((sensor) => [sensor.id, sensor]));
}

test('values of commands and files are in the API, the metrics and the command line; commands receive no secrets of Hostler', async () => {
  await using hostler = await startHostler({
    prepare(directory) {
      fs.writeFileSync(path.join(directory, 'home', 'door.json'), '{"state":{"door":"open"}}');
      fs.symlinkSync(path.join(directory, 'state', 'token'), path.join(directory, 'home', 'innocent'));
      configure(
        directory,
        [
          { id: 'number', name: 'Number', unit: 'mails', command: 'count' },
          { id: 'door', name: 'Door', file: '~/door.json', parse: 'json', path: 'state.door' },
          { id: 'load', name: 'Load', file: '/proc/loadavg' },
          { id: 'token', name: 'Token', file: '~/innocent', parse: 'text' },
          { id: 'hang', name: 'Hang', command: 'hang', interval: 5 },
        ],
        [sh('count', 'echo 17'), sh('hang', 'sleep 1000')],
      );
    },
  });
  const found = await until(async () => {
    const seen = await look(hostler);
    return seen.number?.value === 17 && seen.token?.error ? seen : null;
  });
  expect(found.door).toMatchObject({ value: 'open', error: null });
  expect(found.load?.value).toBeNumber();
  expect(found.token).toMatchObject({ value: null, error: expect.stringContaining('belongs to Hostler') });
  expect(JSON.stringify(found)).not.toContain(hostler.token);
  const metrics = await (await hostler.get('/metrics')).text();
  expect(metrics).toContain('hostler_custom_value{id="number",unit="mails"} 17');
  expect(metrics).toContain('hostler_custom_failed{id="token"} 1');
  const hung = await until(async () => (await look(hostler)).hang?.error ?? null);
  expect(hung).toContain('did not finish within 5 s');
  const { stdout } = await runHostler(['data', 'custom', '--json'], { directory: hostler.directory });
  expect(JSON.parse(stdout).sensors[0]).toMatchObject({ id: 'number' });
  expect(await hostler.stop()).toBe(0);
});

test('listeners receive new values at the interval of the sensor, and new settings at once', async () => {
  await using hostler = await startHostler({
    prepare(directory) {
      fs.writeFileSync(path.join(directory, 'home', 'value'), '1');
      configure(directory, [{ id: 'a', name: 'A', file: '~/value', interval: 5 }]);
    },
  });
  const client = await connectSocket(hostler);
  await client.ask('REGISTER_DATA_LISTENER', { modules: ['custom'] }, { token: hostler.token });
  const received = (id: string, value: unknown) =>
    client.until(
      ({ module, data }) =>
        module === 'custom' &&
        (data as { sensors: Found[] }).sensors.some((sensor) => sensor.id === id && sensor.value === value),
      `${id} to be ${value}`,
    );
  await received('a', 1);
  fs.writeFileSync(path.join(hostler.directory, 'home', 'value'), '2');
  await received('a', 2);
  configure(hostler.directory, [{ id: 'b', name: 'B', file: '~/value', interval: 86_400 }]);
  await received('b', 2);
  client.end();
});

test('nothing runs without a reader, and at most four commands run at once', async () => {
  await using hostler = await startHostler({
    prepare(directory) {
      const log = path.join(directory, 'home', 'log');
      configure(
        directory,
        Array.from({ length: 12 }, (_, at) => ({ id: `s${at}`, name: `S${at}`, command: 'note', interval: 5 })),
        [sh('note', `echo + >> '${log}'; sleep 0.1; echo - >> '${log}'; echo 1`)],
        { history: { enabled: false } },
      );
    },
  });
  const log = path.join(hostler.directory, 'home', 'log');
  expect((await hostler.get('/api/health')).status).toBe(200);
  expect(fs.existsSync(log)).toBe(false);
  await until(async () => (Object.values(await look(hostler)).every(({ value }) => value === 1) ? true : null));
  let running = 0;
  let most = 0;
  for (const line of fs.readFileSync(log, 'utf8').trim().split('\n')) {
    running += line === '+' ? 1 : -1;
    most = Math.max(most, running);
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});

test('numbers are recorded at their interval although other commands hang, and alerts use them', async () => {
  const ran = (directory: string) => path.join(directory, 'home', 'ran');
  const queue = { id: 'queue', name: 'Mail queue', unit: 'mails', command: 'count', interval: 30 };
  const hang = { id: 'hang', name: 'Hang', command: 'hang', interval: 30 };
  const allowlist = (directory: string) => [
    sh('count', `echo . >> '${ran(directory)}'; echo 17`),
    sh('hang', 'sleep 1000'),
  ];
  const watch = (series: string) => ({
    id: series.replaceAll('.', '_'),
    name: series,
    when: { series, above: 10 },
    notify: [],
  });
  const more = { history: { interval: 5 }, alerts: { rules: [watch('custom.queue'), watch('custom.hang')] } };
  await using hostler = await startHostler({
    prepare: (directory) => configure(directory, [queue, hang], allowlist(directory), more),
  });
  const begun = performance.now();
  const history = async (series: string) =>
    (await (await hostler.get(`/api/history?series=${series}&last=10m&step=5`)).json()) as {
      names?: string[];
      series?: { name: string; unit: string; mean: (number | null)[] }[];
    };
  const recorded = await until(async () => {
    const one = (await history('custom.queue')).series?.[0];
    return one !== undefined && one.mean.filter((value) => value !== null).length >= 4 ? one : null;
  });
  // Regardless of the duration: no more runs than the interval allows.
  const seconds = (performance.now() - begun) / 1000;
  const runs = fs.readFileSync(ran(hostler.directory), 'utf8').trim().split('\n').length;
  expect(runs).toBeLessThanOrEqual(1 + Math.ceil(seconds / 29));
  expect(recorded).toMatchObject({ name: 'custom.queue', unit: 'mails' });
  expect(new Set(recorded.mean.filter((value) => value !== null))).toEqual(new Set([17]));
  const alertsNow = async () =>
    (
      (await (await hostler.get('/api/alerts')).json()) as {
        alerts: { id: string; state: string; text: string; reason: string | null }[];
      }
    ).alerts;
  const alerts = await until(async () => {
    const all = await alertsNow();
    return all.some(({ state }) => state === 'active') ? all : null;
  });
  expect(alerts).toMatchObject([
    { state: 'active', text: 'Mail queue is at 17 mails, above 10 mails' },
    { state: 'unknown', reason: 'Hang is not known at the moment' },
  ]);
  const { stdout } = await runHostler(['history', 'custom.queue', '--last', '10m'], { directory: hostler.directory });
  expect(stdout).toContain('custom.queue: mean 17 mails');
  const refused = await runHostler(
    ['settings', 'set', 'alerts.rules', JSON.stringify([{ ...watch('custom.queu'), id: 'near' }])],
    { directory: hostler.directory },
  );
  expect(`${refused.stdout}${refused.stderr}`).toContain('did you mean custom.queue?');
  configure(hostler.directory, [{ ...queue, id: 'other' }], allowlist(hostler.directory), more);
  await until(async () => {
    const { names = [] } = await history('custom.*');
    return names.includes('custom.other') && !names.includes('custom.queue') ? true : null;
  });
  const gone = await until(async () => {
    const reason = (await alertsNow())[1]?.reason ?? '';
    return reason.includes('there is no series') ? reason : null;
  });
  expect(gone).toContain('"custom.hang"');
  // Running commands end with it.
  expect(await hostler.stop()).toBe(0);
});
