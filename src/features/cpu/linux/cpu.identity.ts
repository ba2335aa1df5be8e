export interface CpuIdentity {
  name: string | null;
  vendor: string | null;
  family: string | null;
  /** Whether the hypervisor flag is set; only x86 has it. */
  virtual: boolean;
}

/** From /proc/cpuinfo, whose keys differ by architecture. */
export function parseIdentity(cpuinfo: string): CpuIdentity {
  const cores = cpuinfo.split('\n\n');
  const first = parseFields(cores[0] ?? '');
  const said = (...keys: string[]) => keys.map((key) => first.get(key)).find((value) => value !== undefined) ?? null;
  const arm = parseArm(first.has('cpu implementer') ? cores.map(parseFields) : []);
  return {
    name: arm.name ?? said('model name', 'cpu model', 'uarch', 'cpu'),
    vendor: arm.vendor ?? said('vendor_id'),
    family: arm.family ?? said('cpu family', 'isa'),
    virtual: ` ${first.get('flags') ?? ''} `.includes(' hypervisor '),
  };
}

function parseFields(core: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of core.split('\n')) {
    const colon = line.indexOf(':');
    const value = line
      .slice(colon + 1)
      .trim()
      .replace(/\s+/g, ' ');
    if (colon > 0 && value !== '') fields.set(line.slice(0, colon).trim().toLowerCase(), value);
  }
  return fields;
}

/** ARM identifies cores by numbers, and may combine different ones. */
function parseArm(cores: Map<string, string>[]): Omit<CpuIdentity, 'virtual'> {
  const kinds = new Map<string, { vendor: string; name: string | null }>();
  let family: string | null = null;
  for (const core of cores) {
    const implementer = core.get('cpu implementer');
    const part = core.get('cpu part');
    if (implementer === undefined || part === undefined) continue;
    kinds.set(`${implementer} ${part}`, {
      vendor: armVendor(Number(implementer)) ?? implementer,
      name: armPart(Number(implementer), Number(part)),
    });
    const architecture = core.get('cpu architecture');
    if (architecture !== undefined) family ??= `ARMv${architecture.replace(/^AArch64$/, '8')}`;
  }
  const distinct = (values: (string | null)[]) =>
    [...new Set(values.filter((value) => value !== null))].join(' + ') || null;
  const all = [...kinds.values()];
  return { name: distinct(all.map(({ name }) => name)), vendor: distinct(all.map(({ vendor }) => vendor)), family };
}

/** The designer of the core, by the number in MIDR_EL1. */
const armVendor = (implementer: number): string | null => designers[implementer]?.vendor ?? null;

function armPart(implementer: number, part: number): string | null {
  return designers[implementer]?.parts[part] ?? null;
}

// The registers are those of the Arm Architecture Reference Manual, the numbers those of the kernel's asm/cputype.h.
const designers: Record<number, { vendor: string; parts: Record<number, string> }> = {
  65: {
    vendor: 'ARM',
    parts: {
      2934: 'ARM1176',
      3077: 'Cortex-A5',
      3079: 'Cortex-A7',
      3080: 'Cortex-A8',
      3081: 'Cortex-A9',
      3085: 'Cortex-A12',
      3086: 'Cortex-A17',
      3087: 'Cortex-A15',
      3329: 'Cortex-A32',
      3330: 'Cortex-A34',
      3331: 'Cortex-A53',
      3332: 'Cortex-A35',
      3333: 'Cortex-A55',
      3334: 'Cortex-A65',
      3335: 'Cortex-A57',
      3336: 'Cortex-A72',
      3337: 'Cortex-A73',
      3338: 'Cortex-A75',
      3339: 'Cortex-A76',
      3340: 'Neoverse-N1',
      3341: 'Cortex-A77',
      3342: 'Cortex-A76AE',
      3392: 'Neoverse-V1',
      3393: 'Cortex-A78',
      3394: 'Cortex-A78AE',
      3395: 'Cortex-A65AE',
      3396: 'Cortex-X1',
      3398: 'Cortex-A510',
      3399: 'Cortex-A710',
      3400: 'Cortex-X2',
      3401: 'Neoverse-N2',
      3402: 'Neoverse-E1',
      3403: 'Cortex-A78C',
      3404: 'Cortex-X1C',
      3405: 'Cortex-A715',
      3406: 'Cortex-X3',
      3407: 'Neoverse-V2',
      3456: 'Cortex-A520',
      3457: 'Cortex-A720',
      3458: 'Cortex-X4',
      3460: 'Neoverse-V3',
      3461: 'Cortex-X925',
      3463: 'Cortex-A725',
      3470: 'Neoverse-N3',
    },
  },
  66: { vendor: 'Broadcom', parts: { 1302: 'ThunderX2' } },
  67: { vendor: 'Cavium', parts: { 161: 'ThunderX', 175: 'ThunderX2' } },
  70: { vendor: 'Fujitsu', parts: { 1: 'A64FX' } },
  72: { vendor: 'HiSilicon', parts: { 3329: 'TaiShan-v110' } },
  78: { vendor: 'NVIDIA', parts: { 3: 'Denver 2', 4: 'Carmel' } },
  80: { vendor: 'APM', parts: { 0: 'X-Gene' } },
  81: {
    vendor: 'Qualcomm',
    parts: {
      1: 'Oryon',
      2048: 'Kryo-2XX-Gold',
      2049: 'Kryo-2XX-Silver',
      2050: 'Kryo-3XX-Gold',
      2051: 'Kryo-3XX-Silver',
      2052: 'Kryo-4XX-Gold',
      2053: 'Kryo-4XX-Silver',
    },
  },
  83: { vendor: 'Samsung', parts: {} },
  86: { vendor: 'Marvell', parts: {} },
  97: {
    vendor: 'Apple',
    parts: { 34: 'Icestorm-M1', 35: 'Firestorm-M1', 50: 'Blizzard-M2', 51: 'Avalanche-M2' },
  },
  105: { vendor: 'Intel', parts: {} },
  109: { vendor: 'Microsoft', parts: { 3401: 'Azure-Cobalt-100' } },
  112: { vendor: 'Phytium', parts: {} },
  192: { vendor: 'Ampere', parts: { 2755: 'Ampere-1', 2756: 'Ampere-1a' } },
};
