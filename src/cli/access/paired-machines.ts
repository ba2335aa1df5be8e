import path from 'node:path';
import type { Scope } from '../../access/scopes.ts';
import { isScope } from '../../features/index.ts';
import type { Host } from '../../host/host.ts';
import { isObject } from '../../lib/values.ts';
import { UsageError } from '../exit.ts';

/** Another machine that has given this one access. */
export interface PairedMachine {
  /** Its address as a URL, without a path. */
  address: string;
  token: string;
  /** The name of this machine there. */
  name: string;
  scopes: Scope[];
  /** ISO time. */
  paired: string;
}

const defaultPorts: Record<string, string> = { 'http:': '9170', 'https:': '9171' };

/** Stored in a file that only its owner can read. */
export function openPairedMachines({ storage, paths }: Pick<Host, 'storage' | 'paths'>) {
  const file = path.join(paths.state, 'machines.json');
  const list = () => parseMachines(storage.read(file), file);
  const write = (machines: PairedMachine[]) => storage.write(file, `${JSON.stringify({ machines }, null, 2)}\n`);
  return {
    file,
    list,
    find: (address: string) => list().find((machine) => machine.address === address) ?? null,
    /** Replaces the entry of that address. */
    keep(machine: PairedMachine) {
      storage.prepareDirectory(paths.state);
      storage.locked(file, () => write([...list().filter(({ address }) => address !== machine.address), machine]));
    },
    /** false: it was not known. */
    forget: (address: string) =>
      storage.locked(file, () => {
        const known = list();
        const rest = known.filter((machine) => machine.address !== address);
        if (rest.length < known.length) write(rest);
        return rest.length < known.length;
      }),
  };
}

function parseMachines(text: string | null, file: string): PairedMachine[] {
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    const entries = isObject(value) && Array.isArray(value.machines) ? value.machines : [];
    return entries.flatMap(toMachine);
  } catch (cause) {
    throw new Error(`${file} is damaged; remove it and pair again`, { cause });
  }
}

function toMachine(entry: unknown): PairedMachine[] {
  if (!isObject(entry)) return [];
  const { address, token, name, scopes, paired } = entry;
  if (typeof address !== 'string' || typeof token !== 'string' || !Array.isArray(scopes)) return [];
  return [{ address, token, name: String(name), scopes: scopes.map(String).filter(isScope), paired: String(paired) }];
}

/** `desk`, `desk:9170`, `::1`, `[::1]:9170`, `http://desk:9170/` → the URL of a service, without a path. */
export function toServiceUrl(typed: string): string {
  const bare = typed.includes('://')
    ? typed
    : `http://${(typed.match(/:/g)?.length ?? 0) > 1 && !typed.startsWith('[') ? `[${typed}]` : typed}`;
  const url = URL.parse(bare);
  const isPlain = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    throw new UsageError(
      `${JSON.stringify(typed)} is not the address of a machine; use one such as desk or 192.168.1.5:9170`,
    );
  // The default port of a browser is not ours.
  const hasPort = url.port !== '' || /:\d+\/?$/.test(bare.replace(/^[a-z]+:\/\//i, ''));
  return `${url.protocol}//${url.hostname}:${url.port || (hasPort ? usualPorts : defaultPorts)[url.protocol]}`;
}

const usualPorts: Record<string, string> = { 'http:': '80', 'https:': '443' };
