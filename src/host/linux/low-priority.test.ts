import { expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { createRunner } from '../processes/run.ts';
import { lowerPriority } from './low-priority.ts';

setDefaultTimeout(60_000);

// Without the file the kernel has no scheduling group for each session.
test.skipIf(!fs.existsSync('/proc/self/autogroup'))('lowers the priority of a program and of its session', async () => {
  const { run } = createRunner({ lowerPriority });
  const seen = 'nice; cat /proc/$$/autogroup';
  const lowered = `tries=0; until grep -q "nice 10$" /proc/$$/autogroup || [ $tries -ge 500 ]; do sleep 0.02; tries=$((tries+1)); done; ${seen}`;
  const { stdout } = await run('/bin/sh', ['-c', lowered], { lowPriority: true, timeoutMs: 50_000 });
  expect(stdout).toMatch(/^1\d\n.* nice 10\n$/);
  expect((await run('/bin/sh', ['-c', seen])).stdout).toContain('nice 0');
});
