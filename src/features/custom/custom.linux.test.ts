import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { collectReasons, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { makeNamedPipe } from '../../../test/harness/named-pipe.ts';
import { until } from '../../../test/harness/until.ts';
import { createRunner } from '../../host/processes/run.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { defaultSettings } from '../index.ts';
import { customLinux } from './custom.linux.ts';
import { customReadings } from './custom.readings.ts';
import { customSettingsSchema } from './custom.settings.schema.ts';
import { custom } from './custom.ts';

setDefaultTimeout(120_000);

testEachMachine('linux', import.meta.dirname, custom.module, customLinux);

let home: string;
const runner = createRunner();
beforeAll(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler custom-')));
});
afterAll(async () => {
  await runner.endAll();
  fs.rmSync(home, { recursive: true, force: true });
});

type Sensor = Settings['custom']['sensors'][number];

const sensor = (given: Partial<Sensor>): Sensor => ({
  id: 'one',
  name: 'One',
  unit: '',
  command: '',
  file: '',
  interval: 60,
  parse: 'number',
  record: true,
  path: '',
  ...given,
});

/** Uses the shell as the sensor's program because a script can fail in many ways. */
const sh = (id: string, script: string) => ({
  id,
  name: id,
  command: '/bin/sh',
  workingDir: '',
  arguments: ['-c', script],
});

function open(sensors: Sensor[], allowlist: Settings['commands']['allowlist'] = [], ours = (_real: string) => false) {
  const host = fakeHost({
    contained: { ...realContained(), isOurs: ours },
    run: runner.run,
    environment: { home },
    session: { find: async () => ({ variables: {}, wayland: null, x11: null }), watch: () => () => {} },
  });
  const given = { sensors, allowlist };
  const settings = () => ({
    ...defaultSettings,
    custom: { sensors: given.sensors },
    commands: { allowlist: given.allowlist },
  });
  const logged: string[] = [];
  const log = { ...fakeContext().log, warn: (line: string) => void logged.push(line) };
  const source = customLinux(host, fakeContext({ settings, log }));
  const read = async () => {
    const { reasons, collected } = collectReasons();
    const payload = await source.read(reasons);
    if (payload === null) throw new Error('there is no payload');
    (await custom.module.schema()).parse(payload);
    expect(unexplained(payload, collected)).toEqual([]);
    return { sensors: payload.sensors, reasons: collected };
  };
  const readOne = async () => (await read()).sensors[0];
  return { host, source, given, read, readOne, logged };
}

const write = (name: string, text: string) => {
  fs.writeFileSync(path.join(home, name), text);
  return path.join(home, name);
};

describe('a sensor that reads a file', () => {
  test('is read at its own interval, and its value is stored with its time', async () => {
    const file = write('value', '41.5\n');
    const { host, readOne } = open([sensor({ file, unit: '°C' })]);
    const first = host.clock.now() / 1000;
    expect(await readOne()).toEqual({
      id: 'one',
      name: 'One',
      unit: '°C',
      parse: 'number',
      value: 41.5,
      at: first,
      error: null,
    });
    write('value', '42\n');
    host.clock.advance(30_000);
    expect(await readOne()).toMatchObject({ value: 41.5, at: first });
    host.clock.advance(30_000);
    expect(await readOne()).toMatchObject({ value: 42, at: first + 60 });
  });

  test('that fails keeps the last good value, its time and the reason', async () => {
    const file = write('failing', '7');
    const { host, readOne, read } = open([sensor({ file, interval: 5 })]);
    const first = (await readOne())?.at;
    fs.rmSync(file);
    host.clock.advance(5000);
    expect(await readOne()).toMatchObject({ value: 7, at: first, error: 'Its file does not exist' });
    write('failing', 'broken');
    host.clock.advance(5000);
    const { sensors, reasons } = await read();
    expect(sensors[0]).toMatchObject({ value: 7, at: first, error: 'Its text does not begin with a number' });
    expect(reasons).toContainEqual({
      field: 'sensors',
      reason: 'One: Its text does not begin with a number',
      mendable: true,
    });
    write('failing', '8');
    host.clock.advance(5000);
    expect(await readOne()).toMatchObject({ value: 8, error: null });
  });

  test('may lie under the home, behind a link, and in /proc', async () => {
    fs.symlinkSync(write('target', '5'), path.join(home, 'link'));
    expect(await open([sensor({ file: '~/link' })]).readOne()).toMatchObject({ value: 5 });
    const uptime = await open([sensor({ file: '/proc/uptime' })]).readOne();
    expect(uptime?.value).toBeGreaterThan(0);
  });

  test('is read up to 64 KiB', async () => {
    const file = write('long', 'x'.repeat(1024 * 1024));
    const read = await open([sensor({ file, parse: 'text' })]).readOne();
    expect(String(read?.value).length).toBe(4096);
  });

  test.each([
    ['a pipe without a writer', () => pipe(), 'is not a file'],
    ['a device without end', () => '/dev/zero', 'is not a file'],
    ['a directory', () => home, 'is not a file'],
    ['a relative path', () => 'etc/passwd', 'is not named by an absolute path'],
    ['a path with an end in it', () => '/etc/passwd\0.txt', 'is not a possible file name'],
    ['a name of 10,000 characters', () => `/${'x'.repeat(10_000)}`, 'is not a possible file name'],
  ])('%s is refused at once, with a sentence', async (_what, file, sentence) => {
    const { readOne } = open([sensor({ file: file() })]);
    expect(await readOne()).toMatchObject({ value: null, error: `Its file ${sentence}` });
  });

  test('is named in the log once per problem, and not in the payload', async () => {
    const file = path.join(home, 'private', 'value');
    const { host, read, logged } = open([sensor({ file, interval: 5 })]);
    for (let round = 0; round < 3; round += 1) {
      expect(JSON.stringify(await read())).not.toContain('private');
      host.clock.advance(5000);
    }
    expect(logged).toEqual([`custom: one cannot be read: Its file ${file} does not exist`]);
    fs.mkdirSync(file, { recursive: true });
    await read();
    expect(logged.slice(1)).toEqual([`custom: one cannot be read: Its file ${file} is not a file`]);
  });

  test('of Hostler itself is never read, also through a link', async () => {
    const token = write('token', '1234');
    fs.symlinkSync(token, path.join(home, 'innocent'));
    const { readOne } = open([sensor({ file: path.join(home, 'innocent') })], [], (real) => real === token);
    expect(await readOne()).toMatchObject({ value: null, error: expect.stringContaining('belongs to Hostler') });
  });
});

function pipe(): string {
  const file = path.join(home, `pipe-${crypto.randomUUID()}`);
  makeNamedPipe(file);
  return file;
}

describe('a sensor that runs a command', () => {
  test('that is on the list has the output as its value', async () => {
    const { readOne } = open([sensor({ command: 'a', parse: 'lines' })], [sh('a', 'echo one; echo two')]);
    expect(await readOne()).toMatchObject({ value: ['one', 'two'], error: null });
  });

  test.each([
    ['not in the list', [], 'There is no command with the id "a" in commands.allowlist'],
    ['that fails', [sh('a', 'echo 5; exit 3')], 'Its command exited with code 3'],
    ['that was ended', [sh('a', 'kill -KILL $$')], 'Its command was ended by SIGKILL'],
    [
      'without a program',
      [{ ...sh('a', ''), command: '/no/such' }],
      'The command "a" cannot be run: its program does not exist',
    ],
    ['by a relative name', [{ ...sh('a', ''), command: 'sh' }], 'its program is not named by an absolute path'],
    ['that is no program', [{ ...sh('a', ''), command: '/etc/passwd' }], 'Its program could not be started (EACCES)'],
  ])('%s says so', async (_what, allowlist, sentence) => {
    const { readOne, logged } = open([sensor({ command: 'a' })], allowlist);
    const found = await readOne();
    expect(found?.value).toBeNull();
    expect(found?.error).toContain(sentence);
    expect(found?.error).not.toContain('/');
    // Errors shown in full in the payload are not logged.
    expect(logged).toHaveLength(/rogram/.test(sentence) ? 1 : 0);
  });

  test('that hangs does not delay other sensors, and its timeout is reported', async () => {
    const file = write('beside', '3');
    const sensors = [sensor({ command: 'hang', interval: 5 }), sensor({ id: 'two', name: 'Two', file, interval: 5 })];
    const { host, read } = open(sensors, [sh('hang', 'sleep 1000')]);
    /** Each read waits for the hanging sensor until its limit. */
    const readSensors = async () => {
      const reading = read();
      await new Promise((resolve) => setTimeout(resolve, 20));
      host.clock.advance(1000);
      return (await reading).sensors;
    };
    await until(async () => (await readSensors())[1]?.value === 3, 'the file to be read');
    expect((await readSensors())[0]).toMatchObject({ value: null });
    // Its limit uses the system's clock, five seconds here.
    await until(
      async () => (await readSensors())[0]?.error?.includes('did not finish within 5 s') === true,
      'the command to be ended',
    );
    write('beside', '4');
    await until(async () => (await readSensors())[1]?.value === 4, 'the file to be read again');
  });

  test('is queued while four others run, and all of them run', async () => {
    const log = path.join(home, 'runs');
    const sensors = Array.from({ length: 10 }, (_, at) => sensor({ id: `s${at}`, command: 'run' }));
    const script = `echo + >> '${log}'; sleep 0.05; echo - >> '${log}'; echo 1`;
    const { read } = open(sensors, [sh('run', script)]);
    expect((await read()).sensors.map(({ value }) => value)).toEqual(Array.from({ length: 10 }, () => 1));
    let running = 0;
    let most = 0;
    for (const line of fs.readFileSync(log, 'utf8').trim().split('\n')) {
      running += line === '+' ? 1 : -1;
      most = Math.max(most, running);
    }
    expect(most).toBeLessThanOrEqual(4);
  });

  test('may write any amount, of which a bounded part is read', async () => {
    const { readOne } = open(
      [sensor({ command: 'a', parse: 'text' })],
      [sh('a', 'head -c 50000000 /dev/zero | tr "\\0" y')],
    );
    expect(String((await readOne())?.value).length).toBe(4096);
  });
});

describe('the settings of sensors', () => {
  test('take effect at once: another file, another name, no sensor', async () => {
    const { given, read, readOne } = open([sensor({ file: write('a', '1') })]);
    expect(await readOne()).toMatchObject({ value: 1 });
    given.sensors = [sensor({ file: write('b', '2'), name: 'Other' })];
    expect(await readOne()).toMatchObject({ value: 2, name: 'Other' });
    given.sensors = [];
    expect((await read()).sensors).toEqual([]);
  });

  test('a command that is changed in the list is another sensor, and the old one is ended', async () => {
    const { host, given, read, readOne } = open([sensor({ command: 'a' })], [sh('a', 'sleep 1000')]);
    const first = read();
    await until(() => host.clock.advanceToNext(), 'the reading to wait');
    await first;
    given.allowlist = [sh('a', 'echo 9')];
    expect(await readOne()).toMatchObject({ value: 9 });
  });

  test('require either a command or a file, and a unique id that is valid as a name', () => {
    const check = (sensors: unknown[]) => customSettingsSchema.safeParse({ sensors }).success;
    const minimal = { id: 'a_1', name: 'A', file: '/x' };
    expect(check([minimal])).toBe(true);
    expect(customSettingsSchema.parse({ sensors: [minimal] }).sensors[0]).toEqual(
      sensor({ id: 'a_1', name: 'A', file: '/x' }),
    );
    const wrong = [
      [{ ...minimal, command: 'a' }],
      [{ id: 'a', name: 'A' }],
      [minimal, minimal],
      [{ ...minimal, id: 'A' }],
      [{ ...minimal, id: '../a' }],
      [{ ...minimal, interval: 4 }],
      [{ ...minimal, parse: 'xml' }],
      Array.from({ length: 51 }, (_, at) => ({ ...minimal, id: `a${at}` })),
    ];
    expect(wrong.filter(check)).toEqual([]);
  });
});

test('with a subscriber each sensor is read at its own interval; without one nothing runs', async () => {
  const file = write('watched', '1');
  const { host, source, read } = open([sensor({ file, interval: 5 })]);
  let changes = 0;
  const stop = source.watch?.(() => {
    changes += 1;
  });
  await until(() => changes === 1, 'the first value');
  write('watched', '2');
  host.clock.advance(5000);
  await until(() => changes === 2, 'the second value');
  expect((await read()).sensors[0]).toMatchObject({ value: 2 });
  stop?.();
  expect(host.clock.advanceToNext()).toBe(false);
  source.close?.();
});

test('numbers are metrics, and everything is an entity under its id', async () => {
  const base = { unit: '', at: 1_767_225_600, error: null };
  const payload = {
    sensors: [
      { ...base, id: 'a', name: 'A', unit: '°C', parse: 'number' as const, value: 3.5 },
      { ...base, id: 'b', name: 'B', parse: 'text' as const, value: 'x'.repeat(1000) },
      { ...base, id: 'c', name: 'C', parse: 'lines' as const, value: ['1', '2'], error: 'no' },
    ],
  };
  const metrics = customReadings.metrics?.read(payload) ?? [];
  expect(metrics[0]?.samples).toEqual([{ labels: { id: 'a', unit: '°C' }, value: 3.5 }]);
  expect(metrics[2]?.samples.map(({ value }) => value)).toEqual([0, 0, 1]);
  const entities = (await customReadings.entities?.(fakeHost()))?.read(payload, null) ?? [];
  expect(entities.map(({ key, unit }) => [key, unit])).toEqual([
    ['custom_a', '°C'],
    ['custom_b', undefined],
    ['custom_c', undefined],
  ]);
  expect(String(entities[1]?.value).length).toBe(255);
  expect(entities[2]).toMatchObject({ value: 2, attributes: { error: 'no', value: ['1', '2'] } });
});
