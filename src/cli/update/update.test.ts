import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { exitCodeOf } from '../exit.ts';
import { explainUpdate } from './update.ts';

test('"hostler update" fails, and says how to install a new version', async () => {
  const host = fakeHost();
  await expect(explainUpdate({ host })).rejects.toThrow(/docs[/\\]install\.md explains how to install a new version/);
  expect(await exitCodeOf(() => explainUpdate({ host }))).toBe(1);
});
