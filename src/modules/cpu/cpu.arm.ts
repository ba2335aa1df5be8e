/** Who designed the core, by the number in MIDR_EL1. */
export function armVendor(implementer: number): string | null {
  return designers[implementer]?.vendor ?? null;
}

export function armPart(implementer: number, part: number): string | null {
  return designers[implementer]?.parts[part] ?? null;
}

// The registers are those of the Arm Architecture Reference Manual, the numbers those of the kernel's asm/cputype.h.
const designers: Record<number, { vendor: string; parts: Record<number, string> }> = {
  0x41: {
    vendor: 'ARM',
    parts: {
      0xb76: 'ARM1176',
      0xc05: 'Cortex-A5',
      0xc07: 'Cortex-A7',
      0xc08: 'Cortex-A8',
      0xc09: 'Cortex-A9',
      0xc0d: 'Cortex-A12',
      0xc0e: 'Cortex-A17',
      0xc0f: 'Cortex-A15',
      0xd01: 'Cortex-A32',
      0xd02: 'Cortex-A34',
      0xd03: 'Cortex-A53',
      0xd04: 'Cortex-A35',
      0xd05: 'Cortex-A55',
      0xd06: 'Cortex-A65',
      0xd07: 'Cortex-A57',
      0xd08: 'Cortex-A72',
      0xd09: 'Cortex-A73',
      0xd0a: 'Cortex-A75',
      0xd0b: 'Cortex-A76',
      0xd0c: 'Neoverse-N1',
      0xd0d: 'Cortex-A77',
      0xd0e: 'Cortex-A76AE',
      0xd40: 'Neoverse-V1',
      0xd41: 'Cortex-A78',
      0xd42: 'Cortex-A78AE',
      0xd43: 'Cortex-A65AE',
      0xd44: 'Cortex-X1',
      0xd46: 'Cortex-A510',
      0xd47: 'Cortex-A710',
      0xd48: 'Cortex-X2',
      0xd49: 'Neoverse-N2',
      0xd4a: 'Neoverse-E1',
      0xd4b: 'Cortex-A78C',
      0xd4c: 'Cortex-X1C',
      0xd4d: 'Cortex-A715',
      0xd4e: 'Cortex-X3',
      0xd4f: 'Neoverse-V2',
      0xd80: 'Cortex-A520',
      0xd81: 'Cortex-A720',
      0xd82: 'Cortex-X4',
      0xd84: 'Neoverse-V3',
      0xd85: 'Cortex-X925',
      0xd87: 'Cortex-A725',
      0xd8e: 'Neoverse-N3',
    },
  },
  0x42: { vendor: 'Broadcom', parts: { 0x516: 'ThunderX2' } },
  0x43: { vendor: 'Cavium', parts: { 0x0a1: 'ThunderX', 0x0af: 'ThunderX2' } },
  0x46: { vendor: 'Fujitsu', parts: { 0x001: 'A64FX' } },
  0x48: { vendor: 'HiSilicon', parts: { 0xd01: 'TaiShan-v110' } },
  0x4e: { vendor: 'NVIDIA', parts: { 0x003: 'Denver 2', 0x004: 'Carmel' } },
  0x50: { vendor: 'APM', parts: { 0x000: 'X-Gene' } },
  0x51: {
    vendor: 'Qualcomm',
    parts: {
      0x001: 'Oryon',
      0x800: 'Kryo-2XX-Gold',
      0x801: 'Kryo-2XX-Silver',
      0x802: 'Kryo-3XX-Gold',
      0x803: 'Kryo-3XX-Silver',
      0x804: 'Kryo-4XX-Gold',
      0x805: 'Kryo-4XX-Silver',
    },
  },
  0x53: { vendor: 'Samsung', parts: {} },
  0x56: { vendor: 'Marvell', parts: {} },
  0x61: {
    vendor: 'Apple',
    parts: { 0x022: 'Icestorm-M1', 0x023: 'Firestorm-M1', 0x032: 'Blizzard-M2', 0x033: 'Avalanche-M2' },
  },
  0x69: { vendor: 'Intel', parts: {} },
  0x6d: { vendor: 'Microsoft', parts: { 0xd49: 'Azure-Cobalt-100' } },
  0x70: { vendor: 'Phytium', parts: {} },
  0xc0: { vendor: 'Ampere', parts: { 0xac3: 'Ampere-1', 0xac4: 'Ampere-1a' } },
};
