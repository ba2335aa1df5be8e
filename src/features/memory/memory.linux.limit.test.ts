import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createFiles } from '../../host/linux/files.ts';
import { memoryLimit } from './memory.linux.ts';

test.each([
  [
    'a container with a limit, version 2',
    { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': '536870912\n' },
    536_870_912,
  ],
  [
    'a unit whose slice is tighter, version 2',
    {
      'proc/self/cgroup': '0::/system.slice/hostler.service\n',
      'sys/fs/cgroup/system.slice/memory.max': '1000000\n',
      'sys/fs/cgroup/system.slice/hostler.service/memory.max': '2000000\n',
    },
    1_000_000,
  ],
  ['no limit, version 2', { 'proc/self/cgroup': '0::/a\n', 'sys/fs/cgroup/a/memory.max': 'max\n' }, null],
  [
    'a container, version 1, whose mount begins at the group',
    { 'proc/self/cgroup': '4:memory:/docker/abc\n', 'sys/fs/cgroup/memory/memory.limit_in_bytes': '104857600\n' },
    104_857_600,
  ],
  [
    'no limit, version 1',
    { 'proc/self/cgroup': '4:memory:/\n', 'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n' },
    null,
  ],
  ['no groups at all', {}, null],
])('the memory limit of the control group: %s', (_name, contents: Record<string, string>, expected) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-cgroup-'));
  for (const [file, text] of Object.entries(contents)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  expect(memoryLimit(createFiles({ all: root }))).toBe(expected);
  fs.rmSync(root, { recursive: true });
});
