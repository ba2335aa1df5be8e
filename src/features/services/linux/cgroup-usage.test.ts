import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { firstNumber } from '../../../host/linux/proc/short-file.ts';
import { createCgroupUsage } from './cgroup-usage.ts';

test('memory and CPU time of a group of cgroup v2', () => {
  const files = machineFiles({
    '/sys/fs/cgroup/cgroup.controllers': 'cpu memory\n',
    '/sys/fs/cgroup/a/memory.current': '8192\n',
    '/sys/fs/cgroup/a/cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
  });
  expect(createCgroupUsage(files).read('/a')).toEqual({ memory: 8192, cpu: 2.5 });
  expect(createCgroupUsage(files).read('/b')).toEqual({ memory: null, cpu: null });
});

test('memory and CPU time of a group of cgroup v1, and of v1 and v2 side by side', () => {
  const files = machineFiles({
    '/sys/fs/cgroup/memory/a/memory.usage_in_bytes': '4096\n',
    '/sys/fs/cgroup/cpuacct/a/cpuacct.usage': '1500000000\n',
    '/sys/fs/cgroup/unified/b/cpu.stat': 'usage_usec 500000\n',
  });
  const usage = createCgroupUsage(files);
  expect(usage.read('/a')).toEqual({ memory: 4096, cpu: 1.5 });
  expect(usage.read('/b')).toEqual({ memory: null, cpu: 0.5 });
});

test('a group that was recreated is read under its name', () => {
  const files = machineFiles({
    '/sys/fs/cgroup/cgroup.controllers': '',
    '/sys/fs/cgroup/a/memory.current': '1\n',
    '/sys/fs/cgroup/a/cpu.stat': 'usage_usec 1000000\n',
  });
  const usage = createCgroupUsage(files);
  usage.read('/a');
  usage.keepOnly(new Set());
  files.write('/sys/fs/cgroup/a/memory.current', '2\n');
  expect(usage.read('/a').memory).toBe(2);
  usage.close();
});

test.each([
  ['12\n', 12],
  ['usage_usec 7\nuser_usec 9\n', 7],
  ['max\n', null],
  ['', null],
])('the first number of %j is %j', (text, number) => {
  const bytes = new TextEncoder().encode(text);
  expect(firstNumber(bytes, bytes.length)).toBe(number);
});
