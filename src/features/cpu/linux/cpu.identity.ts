import { armPart, armVendor } from './cpu.arm.ts';

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
