import fs from 'node:fs';

/** What resident memory consists of, in MiB. */
export const parts = [
  'total',
  /** Anonymous: the rest are pages of files, which the system can drop. */
  'own',
  'text',
  'rodata',
  'bundle',
  'libraries',
  'arena',
  'structures',
  'JIT',
  'stacks',
  'other',
] as const;
export type Part = (typeof parts)[number];
export type Split = Record<Part, number>;

interface Mapping {
  start: bigint;
  end: bigint;
  permissions: string;
  file: string;
  kibibytes: number;
  /** Of them anonymous. */
  own: number;
}

/** Splits the resident memory of a process by its mappings. */
export function splitOf(pid: number): Split {
  const split = Object.fromEntries(parts.map((part) => [part, 0])) as Split;
  const program = fs.readlinkSync(`/proc/${pid}/exe`);
  const pointers = stackPointers(pid);
  for (const mapping of mappingsOf(pid)) {
    const size = mapping.kibibytes / 1024;
    split[partOf(mapping, program, pointers)] += size;
    split.total += size;
    split.own += mapping.own / 1024;
  }
  return split;
}

const gibibyte = 1n << 30n;

/** By address space: the allocator reserves 1 GiB at a time, the runtime 4 GiB for object shapes, and only compiled code is anonymous and executable. */
function partOf(
  { start, end, permissions, file }: Mapping,
  program: string,
  pointers: bigint[],
): Exclude<Part, 'total' | 'own'> {
  if (file === program) return permissions.includes('x') ? 'text' : permissions.includes('w') ? 'bundle' : 'rodata';
  if (file.startsWith('/')) return 'libraries';
  if (file === '[stack]' || pointers.some((pointer) => pointer >= start && pointer < end)) return 'stacks';
  if (permissions.includes('x') && file === '') return 'JIT';
  if (end - start >= 4n * gibibyte) return 'structures';
  return end - start >= gibibyte / 4n && permissions.includes('w') ? 'arena' : 'other';
}

function mappingsOf(pid: number): Mapping[] {
  const mappings: Mapping[] = [];
  for (const line of fs.readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, start = '', end = '', permissions = '', file = ''] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
    if (start !== '')
      mappings.push({ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`), permissions, file, kibibytes: 0, own: 0 });
    const last = mappings.at(-1);
    if (last === undefined) continue;
    if (line.startsWith('Rss:')) last.kibibytes = Number.parseInt(line.slice(4), 10);
    if (line.startsWith('Anonymous:')) last.own = Number.parseInt(line.slice(10), 10);
  }
  return mappings;
}

/** Of the threads that wait in a system call, which is all of an idle process. */
function stackPointers(pid: number): bigint[] {
  return fs.readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const fields = fs.readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').trim().split(' ');
    const pointer = fields.at(-2);
    return pointer?.startsWith('0x') === true ? [BigInt(pointer)] : [];
  });
}
