import { expect, test } from 'bun:test';
import { fakeClock, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { countsOf } from './audit.records.ts';
import { createAudit } from './audit.ts';

const paths = { state: '/state', config: '/config', runtime: '/run' };
const entry = { client: 'tester 1', token: 'main', tool: 'lock_session', arguments: {}, decision: 'done' };

test('a call is recorded in the audit file beside the tokens', () => {
  const storage = memoryStorage();
  const complaints: string[] = [];
  const audit = createAudit(fakeHost({ storage, paths }), (sentence) => void complaints.push(sentence));
  audit(entry, 'consent');
  audit({ ...entry, decision: 'forbidden: no' }, 'consent');
  const lines = storage.contents.get('/state/agents.log')?.trim().split('\n') ?? [];
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: '2026-01-01T00:00:00.000Z', ...entry },
    { time: '2026-01-01T00:00:00.000Z', ...entry, decision: 'forbidden: no' },
  ]);
  expect(complaints).toEqual([]);
});

test('a write error is reported once', () => {
  const storage = {
    ...memoryStorage(),
    append() {
      throw new Error('the disk is full');
    },
  };
  const complaints: string[] = [];
  const audit = createAudit(fakeHost({ storage, paths }), (sentence) => void complaints.push(sentence));
  audit(entry, 'acting');
  audit(entry, 'acting');
  expect(complaints).toEqual([expect.stringContaining('the disk is full')]);
});

const parsed = (text: string | undefined) =>
  (text ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('reading calls never displace acting calls, nor these the calls that needed consent', () => {
  const storage = memoryStorage();
  const audit = createAudit(fakeHost({ storage, paths }), () => {}, 2000);
  audit({ ...entry, tool: 'run_command', agreed: 'screen' }, 'consent');
  audit(entry, 'acting');
  for (let count = 0; count < 1000; count++) audit({ ...entry, tool: 'get_overview' }, 'reading');
  expect(parsed(storage.contents.get('/state/agents-acting.log'))).toEqual([expect.objectContaining(entry)]);
  for (let count = 0; count < 1000; count++) audit({ ...entry, tool: 'control_media' }, 'acting');
  expect(parsed(storage.contents.get('/state/agents.log'))).toEqual([
    expect.objectContaining({ tool: 'run_command', agreed: 'screen' }),
  ]);
  for (const text of storage.contents.values()) expect(text.length).toBeLessThan(2500);
  expect(storage.contents.size).toBe(5);
});

test('dropped lines are counted with their times and tools, over any number of rotations', () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  const audit = createAudit(fakeHost({ storage, paths, clock }), () => {}, 2000);
  for (let count = 0; count < 500; count++) {
    audit({ ...entry, tool: count === 3 ? 'open_url' : 'control_media' }, 'acting');
    clock.advance(1000);
  }
  const kept = ['/state/agents-acting.log.1', '/state/agents-acting.log'].flatMap((file) =>
    parsed(storage.contents.get(file)),
  );
  const calls = kept.filter((line) => !('dropped' in line));
  const gone = 500 - calls.length;
  expect(gone).toBeGreaterThan(400);
  // Each of the two files says what it took the place of.
  expect(countsOf(kept.filter((line) => 'dropped' in line))).toEqual({
    calls: gone,
    from: '2026-01-01T00:00:00.000Z',
    to: new Date(Date.parse(calls[0].time) - 1000).toISOString(),
    tools: { control_media: gone - 1, open_url: 1 },
  });
});

test('calls that could not be written are counted in the next line', () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  let full = true;
  const append: typeof storage.append = (...given) => {
    if (full) throw new Error('the disk is full');
    storage.append(...given);
  };
  const audit = createAudit(fakeHost({ storage: { ...storage, append }, paths, clock }), () => {});
  for (let count = 0; count < 3; count++) {
    audit(entry, 'consent');
    clock.advance(1000);
  }
  full = false;
  audit(entry, 'consent');
  expect(parsed(storage.contents.get('/state/agents.log'))).toEqual([
    {
      time: '2026-01-01T00:00:03.000Z',
      dropped: {
        calls: 3,
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-01T00:00:02.000Z',
        tools: { lock_session: 3 },
      },
    },
    { time: '2026-01-01T00:00:03.000Z', ...entry },
  ]);
});
