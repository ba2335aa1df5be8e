import { expect, test } from 'bun:test';
import { addressBytes } from '../../../lib/ip-address.ts';
import { addressIn } from './socket-inspector.ts';

/** Takes all descriptors of a process that has one connection, and inspects it. */
const exhausted = `
  import fs from 'node:fs';
  import net from 'node:net';
  import { openSocketInspector } from ${JSON.stringify(`${import.meta.dirname}/socket-inspector.ts`)};
  const inspector = openSocketInspector();
  const server = net.createServer(() => {
    try { for (;;) fs.openSync('/dev/null'); } catch {}
    const connections = inspector.connections(server.address().port);
    for (const connection of connections) inspector.shut(connection);
    const { limit } = inspector;
    fs.writeSync(1, JSON.stringify({ limit, full: inspector.descriptors() >= limit, memory: inspector.memory(), found: connections.length }));
    process.exit(0);
  });
  server.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1').on('error', () => {}));
`;

test('connections are found and closed when no descriptor is free', () => {
  const { stdout, stderr } = Bun.spawnSync([
    '/bin/sh',
    '-c',
    'ulimit -n 100; exec "$@"',
    'sh',
    process.execPath,
    '-e',
    exhausted,
  ]);
  expect(stderr.toString()).toBe('');
  expect(JSON.parse(stdout.toString())).toEqual({ limit: 100, full: true, memory: 0, found: 1 });
});

test.each(['2001:db8:10::1', '1a0::', '::1', '2001:db8::1:0:0:1', '0:1:0:2:0:3:0:4', 'fe80::10:0:0:1'])(
  'the IPv6 address %s is written as the runtime writes it',
  (text) => {
    const name = new Uint8Array(28);
    name.set(addressBytes(text) ?? [], 8);
    expect(addressIn(name, 10)).toBe(text);
  },
);
