import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../test/doubles/fake-host.ts';
import { createAudit } from './audit.ts';

const paths = { state: '/state', config: '/config', runtime: '/run' };
const entry = { client: 'tester 1', token: 'main', tool: 'lock_session', arguments: {}, decision: 'done' };

test('a call leaves a line beside the tokens', () => {
  const storage = memoryStorage();
  const complaints: string[] = [];
  const audit = createAudit(fakeHost({ storage, paths }), (sentence) => void complaints.push(sentence));
  audit(entry);
  audit({ ...entry, decision: 'forbidden: no' });
  const lines = storage.contents.get('/state/agents.log')?.trim().split('\n') ?? [];
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: '2026-01-01T00:00:00.000Z', ...entry },
    { time: '2026-01-01T00:00:00.000Z', ...entry, decision: 'forbidden: no' },
  ]);
  expect(complaints).toEqual([]);
});

test('what cannot be written is said once', () => {
  const storage = {
    ...memoryStorage(),
    append() {
      throw new Error('the disk is full');
    },
  };
  const complaints: string[] = [];
  const audit = createAudit(fakeHost({ storage, paths }), (sentence) => void complaints.push(sentence));
  audit(entry);
  audit(entry);
  expect(complaints).toEqual([expect.stringContaining('the disk is full')]);
});
