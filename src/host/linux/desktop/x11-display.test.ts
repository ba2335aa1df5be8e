import { expect, test } from 'bun:test';
import { authorityEntry, fakeServer, refusal, welcome } from '@hostler/x11/testing/fake-server.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { openDisplay } from './x11-display.ts';

const cookie = 'MIT-MAGIC-COOKIE-1';

test('every key of the authority file is tried, then none', async () => {
  const { connect, received } = fakeServer(refusal(), refusal(), welcome());
  const files = {
    bytes: () =>
      Buffer.concat([authorityEntry(256, 'machine', '0', cookie, 'a'), authorityEntry(65_535, '', '', cookie, 'b')]),
  };
  const host = { connectLocal: connect, clock: fakeClock(), files, environment: { hostname: () => 'machine' } };
  const place = { display: ':0', number: 0, socket: '/x', authorities: ['/key'] };
  const x11 = await openDisplay(host, place, 1000);
  expect(received.map((greeting) => greeting.readUInt16LE(6))).toEqual([18, 18, 0]);
  x11.close();
});
