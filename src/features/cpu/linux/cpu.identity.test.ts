import { expect, test } from 'bun:test';
import { parseIdentity } from './cpu.identity.ts';

const arm = (...parts: [implementer: string, part: string][]) =>
  parts
    .map(
      ([implementer, part], id) =>
        `processor\t: ${id}\nCPU implementer\t: ${implementer}\nCPU architecture: 8\nCPU part\t: ${part}\n`,
    )
    .join('\n');

test.each<[string, string, { name: string | null; vendor: string | null; family: string | null }]>([
  [
    'x86',
    'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t:  Intel(R)  N100 \n',
    { name: 'Intel(R) N100', vendor: 'GenuineIntel', family: '6' },
  ],
  [
    'ARM with two kinds of cores',
    arm(['0x41', '0xd05'], ['0x41', '0xd05'], ['0x41', '0xd0b']),
    { name: 'Cortex-A55 + Cortex-A76', vendor: 'ARM', family: 'ARMv8' },
  ],
  [
    'Apple',
    arm(['0x61', '0x022'], ['0x61', '0x023']),
    { name: 'Icestorm-M1 + Firestorm-M1', vendor: 'Apple', family: 'ARMv8' },
  ],
  ['an unknown ARM core', arm(['0x41', '0xfff']), { name: null, vendor: 'ARM', family: 'ARMv8' }],
  ['an unknown ARM designer', arm(['0x99', '0x001']), { name: null, vendor: '0x99', family: 'ARMv8' }],
  [
    'ARM of 32 bits, which names the architecture',
    'processor\t: 0\nmodel name\t: ARMv7 Processor rev 5 (v7l)\nCPU implementer\t: 0x41\nCPU architecture: 7\nCPU part\t: 0xc07\n\nHardware\t: BCM2835\n',
    { name: 'Cortex-A7', vendor: 'ARM', family: 'ARMv7' },
  ],
  [
    'RISC-V',
    'processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\n',
    { name: 'sifive,u74-mc', vendor: null, family: 'rv64imafdc' },
  ],
  [
    'Power',
    'processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2300.000000MHz\n',
    { name: 'POWER9 (architected), altivec supported', vendor: null, family: null },
  ],
  ['nothing', '', { name: null, vendor: null, family: null }],
])('%s is identified', (_kind, cpuinfo, expected) => {
  expect(parseIdentity(cpuinfo)).toEqual({ ...expected, virtual: false });
});

test('an x86 processor in a virtual machine has the hypervisor flag, matched as a whole word', () => {
  const flags = (words: string) => parseIdentity(`processor\t: 0\nflags\t\t: ${words}\n`).virtual;
  expect(flags('fpu hypervisor')).toBe(true);
  expect(flags('fpu nohypervisor hypervisors')).toBe(false);
});
