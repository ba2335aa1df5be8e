import { expect, test } from 'bun:test';
import {
  groupsOf,
  parseContainerTraffic,
  parseDroppable,
  parseIoStat,
  parseMemoryLimit,
  parseServiceBytes,
} from './container-counters.ts';

const id = '4f'.repeat(32);
const other = '5e'.repeat(32);

test.each<[string, Record<string, string>]>([
  [`0::/system.slice/docker-${id}.scope\n`, { '': `/system.slice/docker-${id}.scope` }],
  [`0::/docker/${id}\n`, { '': `/docker/${id}` }],
  [`0::/machine.slice/libpod-${id}.scope/container\n`, { '': `/machine.slice/libpod-${id}.scope` }],
  [
    `4:memory:/docker/${id}/nested\n2:cpu,cpuacct:/docker/${id}\n0::/\n`,
    { memory: `/docker/${id}`, cpu: `/docker/${id}`, cpuacct: `/docker/${id}` },
  ],
  [`0::/custom/parent/${id}\n`, { '': `/custom/parent/${id}` }],
  // Another container, the monitor of this one, a group outside the namespace, no group.
  [`0::/docker/${other}\n`, {}],
  [`0::/machine.slice/libpod-conmon-${id}.scope\n`, {}],
  [`0::/../../docker/${id}\n`, {}],
  ['0::/\n', {}],
  ['', {}],
])('the control groups of a container in %j', (text, expected) => {
  expect(Object.fromEntries(groupsOf(text, id))).toEqual(expected);
});

test.each([
  ['104857600\n', 104_857_600],
  ['max\n', null],
  ['9223372036854771712\n', null],
  ['', null],
])('the memory limit %j is parsed', (text, expected) => expect(parseMemoryLimit(text)).toBe(expected));

test('the droppable cache includes the groups below', () => {
  expect(parseDroppable('inactive_file 1\ntotal_inactive_file 22\n')).toBe(22);
  expect(parseDroppable('anon 5\ninactive_file 7\n')).toBe(7);
  expect(parseDroppable('anon 5\n')).toBeNull();
});

test('the counters of disks are summed', () => {
  expect(parseIoStat('8:0 rbytes=10 wbytes=20 rios=1 wios=1 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=2\n')).toEqual({
    read: 11,
    written: 22,
  });
  expect(parseIoStat('')).toEqual({ read: 0, written: 0 });
  expect(parseIoStat(null)).toBeNull();
  expect(parseServiceBytes('8:0 Read 10\n8:0 Write 20\n8:0 Sync 5\n8:0 Total 30\nTotal 30\n')).toEqual({
    read: 10,
    written: 20,
  });
});

test('the counters of network devices are summed, without the loopback', () => {
  const head = 'Inter-| x\n face | y\n';
  const line = (name: string, rx: number, tx: number) => `  ${name}:${rx} 1 0 0 0 0 0 0 ${tx} 1 0 0 0 0 0 0\n`;
  expect(parseContainerTraffic(head + line('lo', 9, 9) + line('eth0', 100, 200) + line('eth1', 1, 2))).toEqual({
    received: 101,
    sent: 202,
  });
  expect(parseContainerTraffic('')).toEqual({ received: 0, sent: 0 });
});
