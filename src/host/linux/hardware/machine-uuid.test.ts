import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { sha256 } from '../../../lib/digest.ts';
import { machineUuid } from './machine-uuid.ts';

const id = '0123456789abcdef0123456789abcdef';
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const uuidOf = (contents: Record<string, string>, storage = memoryStorage()) =>
  machineUuid(
    fakeHost({ files: machineFiles(contents), storage, paths: { config: '/config', state: '/state', runtime: null } }),
    sha256,
  );

test('the same machine id gives the same identifier, which does not show it', () => {
  const first = uuidOf({ '/etc/machine-id': `${id}\n` });
  expect(first).toEqual({ uuid: expect.stringMatching(uuidForm), stable: true });
  // Clients know it: a change of the rule would make every machine a new one.
  expect(first.uuid).toBe('f8fe0630-a8de-89ae-acb0-10c748d2445b');
  expect(uuidOf({ '/etc/machine-id': id })).toEqual(first);
  expect(first.uuid.replaceAll('-', '')).not.toBe(id);
  expect(uuidOf({ '/etc/machine-id': id.replace('0', '1') }).uuid).not.toBe(first.uuid);
});

test('the machine id of D-Bus replaces a missing one', () => {
  expect(uuidOf({ '/var/lib/dbus/machine-id': `${id}\n` })).toEqual(uuidOf({ '/etc/machine-id': `${id}\n` }));
});

test.each(['', 'uninitialized\n', `${'0'.repeat(32)}\n`])(
  'machine id %j is invalid: a random one is created once and stored',
  (text) => {
    const contents = { '/etc/machine-id': text };
    const storage = memoryStorage();
    const first = uuidOf(contents, storage);
    expect(first.stable).toBe(true);
    expect(storage.contents.get('/state/machine.json')).toContain(first.uuid);
    expect(uuidOf(contents, storage)).toEqual(first);
    expect(uuidOf(contents).uuid).not.toBe(first.uuid);
  },
);

test('an identifier that cannot be stored is not stable', () => {
  const storage = memoryStorage();
  storage.write = () => {
    throw new Error('read-only file system');
  };
  expect(uuidOf({}, storage).stable).toBe(false);
});
