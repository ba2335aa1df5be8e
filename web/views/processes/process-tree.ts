import type { ModulePayloads } from '@hostler/client/client.ts';

export type Process = ModulePayloads['processes'][number];

/** Where a process stands among the others. */
export interface TreePlace {
  depth: number;
  /** How many are below it, at any depth. */
  below: number;
}

export interface ProcessTree {
  /** Each after its parent; what is below a folded one is left out. */
  rows: Process[];
  places: ReadonlyMap<number, TreePlace>;
}

interface Branch {
  process: Process;
  /** The one in this branch that comes first: a busy child brings its parents up. */
  first: Process;
  children: Branch[];
  below: number;
}

/** `shown` are those that are wanted; their parents come along, so that one sees where they belong. */
export function treeOf(
  all: readonly Process[],
  shown: readonly Process[],
  compare: (a: Process, b: Process) => number,
  folded: ReadonlySet<number>,
): ProcessTree {
  const byId = new Map(all.map((process) => [process.id, process]));
  const wanted = new Set<Process>();
  for (const process of shown)
    for (let each: Process | undefined = process; each !== undefined && !wanted.has(each); each = parentOf(each, byId))
      wanted.add(each);
  const children = Map.groupBy(wanted, (process) => parentOf(process, byId)?.id ?? 0);
  const grow = (process: Process): Branch => {
    const branches = (children.get(process.id) ?? []).map(grow).sort((a, b) => compare(a.first, b.first));
    const [first] = branches;
    return {
      process,
      first: first !== undefined && compare(first.first, process) < 0 ? first.first : process,
      children: branches,
      below: branches.reduce((sum, branch) => sum + branch.below + 1, 0),
    };
  };
  const rows: Process[] = [];
  const places = new Map<number, TreePlace>();
  const add = ({ process, children: branches, below }: Branch, depth: number) => {
    rows.push(process);
    places.set(process.id, { depth, below });
    if (!folded.has(process.id)) for (const branch of branches) add(branch, depth + 1);
  };
  const roots = (children.get(0) ?? []).map(grow).sort((a, b) => compare(a.first, b.first));
  for (const root of roots) add(root, 0);
  return { rows, places };
}

/** Process ids are reused while a list is read, so the parents may form a cycle: no process becomes its own ancestor. */
function parentOf(process: Process, byId: ReadonlyMap<number, Process>): Process | undefined {
  const parent = byId.get(process.parent_id);
  if (parent === undefined || parent === process) return undefined;
  const isOlder = parent.created === null || process.created === null || parent.created <= process.created;
  return isOlder && !(parent.created === process.created && parent.id > process.id) ? parent : undefined;
}
