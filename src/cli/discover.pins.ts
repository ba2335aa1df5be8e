import { type KnownMachines, openKnownMachines } from '../access/known-machines.ts';
import { type PeerAuthority, readPeerAuthority } from '../client/pin.ts';
import type { FoundService } from '../protocols/mdns/browser.ts';
import type { CliContext } from './context.ts';

/** `new`: met for the first time, and remembered. `trusted`: the system knows who vouches for it. null: it has no TLS, or did not answer. */
export type Acquaintance = 'new' | 'known' | 'trusted' | 'changed' | null;

export interface MetService extends FoundService {
  fingerprint: string | null;
  certificate: Acquaintance;
}

const answerMs = 5000;
/** Somebody could announce thousands. */
const mostMet = 64;

/** Shakes hands with those that offer TLS, and compares with what was remembered of them. */
export async function meetServices({ host }: CliContext, services: FoundService[]): Promise<MetService[]> {
  const machines = openKnownMachines(host);
  return await Promise.all(
    services.map(async (service, at) => {
      const peer = at < mostMet ? await greet(service) : null;
      return {
        ...service,
        fingerprint: peer?.fingerprint ?? null,
        certificate: peer && compare(machines, service, peer),
      };
    }),
  );
}

async function greet({ tls_address }: FoundService): Promise<PeerAuthority | null> {
  if (tls_address === '') return null;
  return await readPeerAuthority(tls_address, answerMs).catch(() => null);
}

function compare(
  machines: KnownMachines,
  { uuid, tls_address: address }: FoundService,
  peer: PeerAuthority,
): Acquaintance {
  if (peer.isTrusted) return 'trusted';
  const known = machines.find({ uuid, address });
  if (known !== null && known.fingerprint !== peer.fingerprint) return 'changed';
  const { fingerprint, certificate } = peer;
  if (known === null || known.address !== address || known.uuid !== uuid)
    machines.remember({ uuid, address, fingerprint, certificate });
  return known === null ? 'new' : 'known';
}

/** What has to be read before anything else; null: nothing has changed. */
export function shout(services: MetService[], command: string): string | null {
  const changed = services.filter(({ certificate }) => certificate === 'changed');
  if (changed.length === 0) return null;
  return changed
    .map(
      ({ name, tls_address, fingerprint }) =>
        `THE CERTIFICATE OF ${name} (${tls_address}) HAS CHANGED. Another machine may be answering in its place. Its fingerprint is now ${fingerprint}; compare it with "${command} tls fingerprint" on that machine. If it is right, run "${command} tls trust ${tls_address.slice('https://'.length)}"`,
    )
    .join('\n');
}
