import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { pause } from '../harness/harness.ts';

/** What changes on the machine meanwhile. */
export interface Changes {
  /** How often each kind of thing happened so far. */
  counts(): Record<string, number>;
  /** Programs that did not do what they should. */
  failures: string[];
  stop(): Promise<void>;
}

/** Where something is mounted now and then, one of them under a name that is hard to read. */
export interface Places {
  source: string;
  single: [memory: string, bound: string];
  many: string[];
}

export function makePlaces(directory: string): Places {
  const place = (name: string) => {
    const made = path.join(directory, name);
    fs.mkdirSync(made, { recursive: true });
    return made;
  };
  return {
    source: place('source'),
    single: [place('memory é\\ x'), place('bound')],
    many: Array.from({ length: 30 }, (_, index) => place(`many-${index}`)),
  };
}

/** Links and mounts come and go, one by one each second and many at once every half minute. Only in namespaces of our own. */
export function createChanges({ source, single: [memory, bound], many }: Places): Changes {
  const failures: string[] = [];
  const counts = { links: 0, addresses: 0, mounts: 0 };
  let stopped = false;
  const run = async (program: string, args: string[], input = '') => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
    const said = gather(child);
    child.stdin?.end(input);
    const [code] = await once(child, 'close');
    if (code !== 0) failures.push(`${program} ${args.join(' ')}: ${said().trim()}`);
  };
  const ip = (...lines: string[]) => run('ip', ['-batch', '-'], `${lines.join('\n')}\n`);

  const oneLink = async (turn: number) => {
    await ip('link add one type veth peer name other', 'link set one up', 'link set other up');
    await ip(
      `address add 10.9.${turn % 250}.1/24 dev one`,
      `address add fd00::${(turn % 9000) + 1}/64 dev other nodad`,
    );
    await pause(400);
    await ip('link set other down', 'link set one mtu 1400', 'link set one name renamed', 'link delete renamed');
    counts.links += 2;
    counts.addresses += 2;
  };
  const manyLinks = async () => {
    const names = Array.from({ length: 25 }, (_, index) => `many${index}`);
    await ip(...names.flatMap((name) => [`link add ${name} type veth peer name ${name}b`, `link set ${name} up`]));
    await pause(1500);
    await ip(...names.map((name) => `link delete ${name}`));
    counts.links += 2 * names.length;
  };

  const oneMount = async () => {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', memory]);
    await run('mount', ['--bind', source, bound]);
    await pause(400);
    await run('umount', [bound]);
    await run('umount', [memory]);
    counts.mounts += 2;
  };
  const manyMounts = async () => {
    for (const each of many) await run('mount', ['--bind', source, each]);
    await pause(1500);
    for (const each of many) await run('umount', [each]);
    counts.mounts += many.length;
  };

  const keepOn = async (one: (turn: number) => Promise<void>, many: () => Promise<void>) => {
    for (let turn = 0; !stopped; turn += 1) {
      await one(turn);
      if (turn % 30 === 10) await many();
      await pause(500);
    }
  };
  const both = [keepOn(oneLink, manyLinks), keepOn(oneMount, manyMounts)];
  return {
    counts: () => ({ ...counts }),
    failures,
    async stop() {
      stopped = true;
      await Promise.all(both);
    },
  };
}

function gather(child: ChildProcess): () => string {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return () => said;
}
