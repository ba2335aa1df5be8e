import path from 'node:path';
import type { Host } from '../host/host.ts';

/** A machine that was met over TLS, and who vouched for it then. */
export interface KnownMachine {
  /** As it calls itself; empty: it does not. */
  uuid: string;
  /** `https://address:port` */
  address: string;
  fingerprint: string;
  /** PEM. */
  certificate: string;
}

export interface KnownMachines {
  /** By what it calls itself or by its address; null: it was never met. */
  find(machine: Pick<KnownMachine, 'uuid' | 'address'>): KnownMachine | null;
  /** In place of what was known of it. */
  remember(machine: KnownMachine): void;
}

const most = 1000;

export function openKnownMachines({ storage, paths }: Pick<Host, 'storage' | 'paths'>): KnownMachines {
  const file = path.join(paths.state, 'known-machines.json');
  const read = (): KnownMachine[] => {
    const value: unknown = JSON.parse(storage.read(file) ?? '[]');
    return Array.isArray(value) ? value.filter(isKnownMachine) : [];
  };
  return {
    find: (machine) => read().find((known) => isSame(known, machine)) ?? null,
    remember(machine) {
      storage.prepareDirectory(paths.state);
      storage.locked(file, () => {
        const others = read().filter((known) => !isSame(known, machine));
        storage.write(file, `${JSON.stringify([...others, machine].slice(-most), null, 2)}\n`);
      });
    },
  };
}

const isSame = (known: KnownMachine, { uuid, address }: Pick<KnownMachine, 'uuid' | 'address'>) =>
  known.address === address || (uuid !== '' && known.uuid === uuid);

function isKnownMachine(value: unknown): value is KnownMachine {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map(Object.entries(value));
  return ['uuid', 'address', 'fingerprint', 'certificate'].every((name) => typeof fields.get(name) === 'string');
}
