import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { Paths } from '../../host/paths.ts';
import { readBrokerPassword, writeBrokerPassword } from './broker-password.ts';

const machine = (files: Record<string, string> = {}) =>
  fakeHost({ storage: memoryStorage(files), paths: { state: '/state' } as Paths });

test('a password is used only with the broker it was set for', async () => {
  const host = machine();
  await writeBrokerPassword(host, 'mqtts://one.example/', 'secret words');
  expect(await readBrokerPassword(host, 'mqtts://one.example')).toBe('secret words');
  for (const other of ['mqtts://two.example', 'mqtt://one.example', 'mqtts://one.example:9999'])
    await expect(readBrokerPassword(host, other)).rejects.toThrow('the stored password is for mqtts://one.example;');
});

test('without a password none is used; a file that names no broker is used with any', async () => {
  expect(await readBrokerPassword(machine(), 'mqtt://one.example')).toBeNull();
  const host = machine({ '/state/mqtt-password': 'secret words\n' });
  expect(await readBrokerPassword(host, 'mqtt://one.example')).toBe('secret words');
});
