import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { hasFields } from '../../lib/values.ts';

/** A machine that was reached over TLS, and the authority that signed its certificate. */
export interface KnownMachine {
  /** The name it reports; empty: none. */
  uuid: string;
  /** `https://address:port` */
  address: string;
  fingerprint: string;
  /** PEM. */
  certificate: string;
  /** Known from an announcement only: makes room for machines that were paired or are trusted by order of the user. */
  announced?: boolean | undefined;
}

const most = 1000;
/** A machine chooses its ports and names, but has few addresses. */
const mostAtOneHost = 8;

export type KnownMachines = ReturnType<typeof openKnownMachines>;

export function openKnownMachines({ storage, paths }: Pick<Host, 'storage' | 'paths'>) {
  const file = path.join(paths.state, 'known-machines.json');
  const read = (): KnownMachine[] => {
    const value: unknown = JSON.parse(storage.read(file, { owned: true }) ?? '[]');
    return Array.isArray(value) ? value.filter(isKnownMachine) : [];
  };
  const rewrite = (change: (machines: KnownMachine[]) => KnownMachine[]) => {
    storage.prepareDirectory(paths.state);
    storage.locked(file, () => storage.write(file, `${JSON.stringify(change(read()), null, 2)}\n`));
  };
  return {
    /** By its reported name or its address; null: unknown. */
    find: (machine: Pick<KnownMachine, 'uuid' | 'address'>) => read().find((known) => isSame(known, machine)) ?? null,
    /** All entries with its name or its address: two, if one machine answers in the place of another. */
    alike: (machine: Pick<KnownMachine, 'uuid' | 'address'>) => read().filter((known) => isSame(known, machine)),
    /** By order of the user: replaces the known entry. */
    remember: (machine: KnownMachine) =>
      rewrite((machines) => [...roomIn(machines.filter((known) => !isSame(known, machine))), machine]),
    /**
     * By an announcement, in which the name is an unauthenticated claim: adds a new entry, or updates the one with the same name and fingerprint. It
     * never drops the name, the fingerprint or the trusted address of a known machine, nor an entry to make room. false: there is no room.
     */
    learn(machine: KnownMachine): boolean {
      let hasRoom = true;
      rewrite((machines) => {
        const isOther = ({ uuid, fingerprint }: KnownMachine) =>
          fingerprint !== machine.fingerprint || (uuid !== '' && uuid !== machine.uuid);
        if (machines.some((known) => isSame(known, machine) && isOther(known))) return machines;
        const others = machines.filter(
          (known) => !isSame(known, machine) || isTrustedAt(known, machine) === 'elsewhere',
        );
        const announced = machine.announced && machines.every((known) => isTrustedAt(known, machine) !== 'here');
        const atHost = others.filter((known) => known.announced && hostOf(known) === hostOf(machine)).length;
        hasRoom = !announced || (others.length < most && atHost < mostAtOneHost);
        return hasRoom ? [...roomIn(others), { ...machine, announced }] : machines;
      });
      return hasRoom;
    },
    /** By its address; false: unknown. */
    forget(address: string): boolean {
      if (!read().some((known) => known.address === address)) return false;
      rewrite((machines) => machines.filter((known) => known.address !== address));
      return true;
    },
  };
}

/** Where the user trusted this machine; null: nowhere. Another machine can pass its connections on at any address. */
const isTrustedAt = (known: KnownMachine, machine: KnownMachine): 'here' | 'elsewhere' | null =>
  known.announced || !isSame(known, machine)
    ? null
    : known.address === machine.address || !machine.announced
      ? 'here'
      : 'elsewhere';

const isSame = (known: KnownMachine, { uuid, address }: Pick<KnownMachine, 'uuid' | 'address'>) =>
  known.address === address || (uuid !== '' && known.uuid === uuid);

function roomIn(machines: KnownMachine[]): KnownMachine[] {
  if (machines.length < most) return machines;
  return machines.toSpliced(
    Math.max(
      0,
      machines.findIndex(({ announced }) => announced),
    ),
    1,
  );
}

const hostOf = ({ address }: KnownMachine) => URL.parse(address)?.hostname ?? address;

const isKnownMachine = (value: unknown): value is KnownMachine =>
  hasFields(value, { uuid: 'string', address: 'string', fingerprint: 'string', certificate: 'string' });
