import { expect, test } from 'bun:test';
import type { ByteStream, ByteStreamEvents } from '@hostler/io/byte-stream.ts';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { defaultSettings } from '../../features/index.ts';
import { signInAtBroker } from './broker-check.ts';

/** A broker that closes connections of version 5 silently, and answers those of 3.1.1 with this code. */
function olderBroker(code: number) {
  const versions: unknown[] = [];
  const host = fakeHost({
    storage: memoryStorage(),
    connect: async (_target: unknown, events: ByteStreamEvents) =>
      ({
        send(bytes: Uint8Array) {
          if (bytes[0] !== 0x10) return;
          // After the length and the name of the protocol.
          versions.push(bytes[8]);
          if (bytes[8] === 5) events.closed(null);
          else events.data(Uint8Array.of(0x20, 2, 0, code));
        },
        close() {},
        waiting: () => 0,
        pause() {},
        resume() {},
      }) as ByteStream,
  });
  return { host, versions };
}

const mqtt = { ...defaultSettings.mqtt, url: 'mqtt://broker.example', username: 'me' };

test('a broker that knows MQTT 3.1.1 only is asked again in it', async () => {
  const { host, versions } = olderBroker(0);
  await signInAtBroker(host, mqtt, 'secret');
  expect(versions).toEqual([5, 4]);
});

test('its refusal is the reason', async () => {
  const { host } = olderBroker(5);
  await expect(signInAtBroker(host, mqtt, 'wrong')).rejects.toThrow('the user name or password is wrong');
});
