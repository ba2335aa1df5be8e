import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage, withSlashes } from '../../../test/doubles/fake-host.ts';
import { reportCrash } from './crash-handler.ts';
import { type CrashFacts, crashReportText } from './crash-report.text.ts';
import { crashesLately, freshCrashes, readCrashes, writeCrash } from './crash-reports.ts';

const paths = { config: '/config', state: '/state', runtime: null };
const facts: Omit<CrashFacts, 'at'> = {
  version: '7.0.0',
  ran: 3700,
  machine: 'linux x86_64, kernel 6.1.0',
  runtime: 'Bun 1.4.4',
  memoryBytes: 40 * 1024 * 1024,
  kind: 'uncaughtException',
  error: new Error('boom'),
  logLines: [],
  secrets: ['hunter2', 'a1B2c3D4e5F6g7H8i9J0'],
  home: '/home/alice',
  userName: 'alice',
};
const textOf = (given: Partial<CrashFacts>) => crashReportText({ ...facts, at: Date.UTC(2026, 0, 1), ...given });

test('a crash report has the error, its place in the sources, and the platform', () => {
  const error = new TypeError('undefined is not an object', { cause: new Error('the first') });
  error.stack = `TypeError: undefined is not an object
    at read (/home/alice/my projects/hostler/src/features/cpu/cpu.linux.ts:12:3)
    at /home/alice/hostler/src/core/store.ts:40:9
    at async /home/alice/hostler/node_modules/zod/v4/core.js:1:2
    at processTicksAndRejections (native:7:39)
    at C:\\Users\\alice\\hostler.exe:1:1`;
  const text = textOf({ error });
  expect(text).toStartWith('Hostler 7.0.0 crashed at 2026-01-01T00:00:00.000Z, after 1 h 1 min.');
  for (const line of [
    'TypeError: undefined is not an object',
    '    at read (src/features/cpu/cpu.linux.ts:12:3)',
    '    at src/core/store.ts:40:9',
    'node_modules/zod/v4/core.js:1:2',
    '    at processTicksAndRejections (native:7:39)',
    'Caused by Error: the first',
    'Machine: linux x86_64, kernel 6.1.0',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('alice');
  expect(text).not.toContain('my projects');
});

test.each([
  ['the password hunter2 is wrong', 'the password [secret] is wrong'],
  ['token a1B2c3D4e5F6g7H8i9J0', 'token [secret]'],
  ['GET /api/data?token=abc&x=1 failed', 'GET /api/data?[query] failed'],
  ['mqtts://bob:pass@broker:8883', 'mqtts://[secret]@broker:8883'],
  ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0', 'Bearer [secret]'],
  ['key 0123456789abcdef0123456789abcdef', 'key [secret]'],
  ['/home/alice/.config/hostler/settings.json', '~/.config/hostler/settings.json'],
  ['token 6b29fc40-ca47-1067-b31d-00dd010662da', 'token [secret]'],
  ['token jBWf5Ql2oi-vSRyh-_t5dqzc2MbRJ-lT', 'token [secret]'],
  ['Authorization: Bearer abc12345', 'Authorization: Bearer [secret]'],
  ['{"password": "letmein", "x": 1}', '{"password": [secret], "x": 1}'],
  ['password=letmein failed', 'password=[secret] failed'],
  ['POST https://hooks.example/T0/B0/sesame failed', 'POST https://hooks.example/[path] failed'],
  ['a title \u001b]0;owned\u0007 and \u202efdp.exe', 'a title  ]0;owned  and  fdp.exe'],
  ['for alice', 'for [user]'],
  ['org.freedesktop.DBus.Error.ServiceUnknown', 'org.freedesktop.DBus.Error.ServiceUnknown'],
  ['at 2026-11-17T18:02:20.913Z', 'at 2026-11-17T18:02:20.913Z'],
  ['/proc/self/task/1234/children', '/proc/self/task/1234/children'],
])('in a crash report "%s" is written as "%s"', (said, written) => {
  expect(textOf({ error: new Error(said) })).toContain(`Error: ${written}\n`);
  expect(textOf({ logLines: [said] })).toContain(`\n${written}\n`);
});

test('a line of the message that resembles a stack frame is cleaned as well', () => {
  expect(textOf({ error: new Error('refused:\n at hunter2 (hunter2)') })).not.toContain('hunter2');
});

test('a crash report is bounded, whatever was thrown', () => {
  const error = new Error('x'.repeat(1_000_000));
  error.stack = `Error\n${'    at x (/src/a.ts:1:1)\n'.repeat(100_000)}`;
  error.cause = error;
  const text = textOf({ error, logLines: Array.from({ length: 1000 }, () => 'word '.repeat(10_000)) });
  expect(text.length).toBeLessThanOrEqual(32_001);
  for (const thrown of [null, undefined, 'hunter2', { password: 'hunter2' }, Symbol('x')])
    expect(textOf({ error: thrown })).not.toContain('hunter2');
});

test('a report contains no secret that the system keeps sealed', async () => {
  const sealing = { seal: async (text: string) => text, open: async (text: string) => text.toLowerCase() };
  const storage = memoryStorage({
    '/state/token': 'open-sesame',
    '/state/mqtt-password': 'sealed:HUNTER2\nMQTT://BROKER\n',
  });
  const host = fakeHost({ storage, paths, ...({ sealing } as object) });
  const crashed = { error: new Error('refused: hunter2, open-sesame'), kind: 'uncaughtException', logLines: [] };
  const log = { error() {} };
  await reportCrash(host, log, { ...crashed, isSupervised: true });
  expect(storage.contents.get('/state/crashes/crash-1.txt')).toContain('Error: refused: [secret], [secret]\n');
});

function machine(files: Record<string, string> = {}) {
  const storage = memoryStorage(files);
  const host = fakeHost({ storage, paths });
  const said: string[] = [];
  const log = { error: (line: string) => void said.push(line) };
  const crash = (isSupervised = true) => writeCrash(host, log, { ...facts, isSupervised });
  return { host, storage, said, crash };
}

test('the last ten crash reports are kept', () => {
  const { host, storage, crash } = machine();
  for (let count = 0; count < 13; count++) {
    crash();
    host.clock.advance(3_600_000);
  }
  const reports = [...storage.contents.keys()].filter((file) => file.endsWith('.txt'));
  expect(reports).toHaveLength(10);
  const kept = readCrashes(host);
  expect(kept).toHaveLength(10);
  expect(kept.map(({ at }) => at)).toEqual(kept.map(({ at }) => at).toSorted());
  expect(withSlashes(kept.at(-1)?.file ?? '')).toBe('/state/crashes/crash-3.txt');
  expect(storage.contents.get(kept.at(-1)?.file ?? '')).toContain(new Date(kept.at(-1)?.at ?? 0).toISOString());
});

test('five crashes within a minute are logged if a supervisor restarts the service', () => {
  const { host, crash, said } = machine();
  for (let count = 0; count < 5; count++) {
    crash();
    host.clock.advance(2000);
  }
  expect(said.filter((line) => line.includes('times within a minute'))).toHaveLength(1);
  expect(said.at(-1)).toContain('Hostler crashed 5 times within a minute. systemd starts it no more than five times');
  host.clock.advance(120_000);
  crash();
  expect(withSlashes(said.at(-1) ?? '')).toContain(
    'A report of this crash, without secrets, is in /state/crashes/crash-6.txt',
  );
  const alone = machine();
  for (let count = 0; count < 6; count++) alone.crash(false);
  expect(alone.said.join()).not.toContain('systemd');
});

test('recent crashes give a sentence, and old ones do not', () => {
  const { host, crash } = machine();
  expect(crashesLately(host)).toBeNull();
  crash();
  const lately = crashesLately(host);
  expect(lately?.sentence).toBe('Hostler crashed once in the past day');
  expect(withSlashes(lately?.file ?? '')).toBe('/state/crashes/crash-1.txt');
  crash();
  expect(crashesLately(host)?.sentence).toBe('Hostler crashed 2 times in the past day');
  host.clock.advance(2 * 86_400_000);
  expect(crashesLately(host)).toBeNull();
  expect(freshCrashes(host)).toHaveLength(2);
  host.clock.advance(6 * 86_400_000);
  expect(freshCrashes(host)).toEqual([]);
});

test.each([
  '',
  '{',
  '[]',
  '[{}]',
  '[{"at":1,"version":"7","slot":99}]',
  '[{"at":1,"version":"7","slot":"../../x"}]',
  '7',
])('a damaged list (%s) counts as empty, and new reports are written', (text) => {
  const { host, crash, storage } = machine({ '/state/crashes/list.json': text });
  expect(readCrashes(host)).toEqual([]);
  crash();
  expect(readCrashes(host)).toHaveLength(1);
  expect([...storage.contents.keys()].filter((file) => file.endsWith('.txt'))).toEqual(['/state/crashes/crash-1.txt']);
});

test('a full disk does not prevent the process from ending', () => {
  const storage = memoryStorage();
  storage.write = () => {
    throw new Error('the disk with /state is full');
  };
  const host = fakeHost({ storage, paths });
  const said: string[] = [];
  writeCrash(host, { error: (line) => void said.push(line) }, { ...facts, isSupervised: true });
  expect(said).toEqual(['The report of this crash cannot be written']);
});
