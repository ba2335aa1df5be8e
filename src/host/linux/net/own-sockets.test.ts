import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { ownSockets } from './own-sockets.ts';

test('descriptors and sockets are counted without native code; files are not sockets', async () => {
  const before = { descriptors: ownSockets.countDescriptors() ?? 0, sockets: ownSockets.countSockets() ?? 0 };
  const files = Array.from({ length: 10 }, () => fs.openSync('/dev/null', 'r'));
  const listeners = Array.from({ length: 5 }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } }),
  );
  expect(ownSockets.countSockets()).toBe(before.sockets + 5);
  expect(ownSockets.countDescriptors()).toBeGreaterThanOrEqual(before.descriptors + 15);
  for (const file of files) fs.closeSync(file);
  for (const listener of listeners) listener.stop(true);
});

/** Takes all descriptors of a process, and counts them. */
const exhausted = `
  import fs from 'node:fs';
  import { ownSockets } from ${JSON.stringify(`${import.meta.dirname}/own-sockets.ts`)};
  try { for (;;) fs.openSync('/dev/null'); } catch {}
  const descriptors = ownSockets.countDescriptors();
  fs.writeSync(1, JSON.stringify({ full: descriptors === null || descriptors >= 100, sockets: ownSockets.countSockets() }));
`;

test('counting works when no descriptor is free', () => {
  const { stdout, stderr } = Bun.spawnSync([
    ...['/bin/sh', '-c', 'ulimit -n 100; exec "$@"', 'sh'],
    ...[process.execPath, '-e', exhausted],
  ]);
  expect(stderr.toString()).toBe('');
  expect(JSON.parse(stdout.toString())).toEqual({ full: true, sockets: null });
});
