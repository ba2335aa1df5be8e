import { expect, test } from 'bun:test';
import { encodeMessage, pointerData } from '@hostler/mdns/dns.encode.ts';
import { emptyMessage, recordTypes } from '@hostler/mdns/dns.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { serviceTypes } from './announcement.ts';
import type { OpenSocket } from './discovery.ts';
import { findServices } from './find-services.ts';

const [type = []] = serviceTypes;

const announcement = (name: string) =>
  encodeMessage({
    ...emptyMessage,
    isResponse: true,
    answers: [{ name: type, type: recordTypes.PTR, unique: false, ttl: 120, data: pointerData([name, ...type]) }],
  });

test('a search reads 200 packets a second, as the announcement does', async () => {
  const clock = fakeClock();
  let deliver: Parameters<OpenSocket>[2] = () => {};
  const open: OpenSocket = async (_group, _port, received) => {
    deliver = received;
    return { join() {}, send: async () => {}, reply: async () => {}, close() {} };
  };
  const search = findServices({ open, through: ['10.0.0.1'], clock }, 3000);
  await new Promise((resolve) => setImmediate(resolve));
  const from = { address: '10.0.0.9', port: 5353 };
  for (let index = 0; index < 200; index += 1) deliver(announcement('first'), from);
  deliver(announcement('too many'), from);
  clock.advance(1000);
  deliver(announcement('second'), from);
  clock.advance(2000);
  expect((await search).map(({ name }) => name)).toEqual(['first', 'second']);
});
