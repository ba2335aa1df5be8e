import { type KnownMachines, openKnownMachines } from '../access/known-machines.ts';
import { type PeerAuthority, readPeerAuthority } from '../client/pin.ts';
import type { Vouching } from '../host/remote-http.ts';
import type { FoundService } from '../protocols/mdns/browser.ts';
import type { CliContext } from './context.ts';

/**
 * `new`: met for the first time, and remembered. `trusted`: the system knows who vouches for it. `unproven`: it was met over TLS before, and
 * now offers none or does not get through with it. null: it has no TLS, or did not answer, and never did.
 */
export type Acquaintance = 'new' | 'known' | 'trusted' | 'changed' | 'unproven' | null;

export interface MetService extends FoundService {
  fingerprint: string | null;
  certificate: Acquaintance;
  /** Where it was when it was last met over TLS; null: it never was. */
  remembered_address: string | null;
}

const answerMs = 5000;
/** Somebody could announce thousands; those that are known are met in any case. */
const mostNew = 64;

/** Shakes hands with those that offer TLS, and compares with what was remembered of them. */
export async function meetServices(
  { host }: Pick<CliContext, 'host'>,
  services: FoundService[],
): Promise<MetService[]> {
  const machines = openKnownMachines(host);
  let strangers = 0;
  return await Promise.all(
    services.map(async (service) => {
      const known = machines.alike({ uuid: service.uuid, address: service.tls_address });
      const peer = known.length > 0 || strangers++ < mostNew ? await greet(service) : null;
      return {
        ...service,
        fingerprint: peer?.fingerprint ?? null,
        certificate: peer === null ? (known.length > 0 ? 'unproven' : null) : compare(machines, service, peer),
        remembered_address: known[0]?.address ?? null,
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
  { uuid, tls_address: address }: Pick<FoundService, 'uuid' | 'tls_address'>,
  peer: PeerAuthority,
): Acquaintance {
  if (peer.isTrusted) return 'trusted';
  // Its name may be known and its address be that of another one: what both say has to agree.
  const known = machines.alike({ uuid, address });
  const { fingerprint, certificate } = peer;
  if (known.some((machine) => machine.fingerprint !== fingerprint)) return 'changed';
  if (!known.some((machine) => machine.address === address && machine.uuid === uuid))
    machines.remember({ uuid, address, fingerprint, certificate });
  return known.length === 0 ? 'new' : 'known';
}

/**
 * Before the first word to a machine that was named by its address: whoever vouches for it at the first use has to do so ever after. Returns
 * the only one who may; null: the system knows who does. Throws where it is another one.
 */
export async function requireAcquaintance(
  { host, complain, command }: CliContext,
  address: string,
): Promise<Vouching | null> {
  const machines = openKnownMachines(host);
  const peer = await readPeerAuthority(address, answerMs);
  const uuid = machines.find({ uuid: '', address })?.uuid ?? '';
  const acquaintance = compare(machines, { uuid, tls_address: address }, peer);
  if (acquaintance === 'changed') throw new Error(changedSentence(address, address, peer.fingerprint, command));
  if (acquaintance === 'new')
    complain(
      `${address} is met for the first time, and remembered by the fingerprint ${peer.fingerprint}; "${command} tls fingerprint" on that machine prints the same.`,
    );
  return acquaintance === 'trusted' ? null : { ca: peer.certificate, checkServerIdentity: () => undefined };
}

const shortOf = (address: string) => address.slice('https://'.length);

/** What has to be read before anything else; null: nothing has changed. */
export function shout(services: MetService[], command: string): string | null {
  const sentences = services.flatMap(({ name, address, tls_address, fingerprint, certificate, remembered_address }) => {
    if (certificate === 'changed')
      return changedSentence(`${name} (${tls_address})`, tls_address, fingerprint ?? '', command);
    if (certificate === 'unproven')
      return `${name} (${tls_address || address}) DOES NOT PROVE WHO IT IS. It did so before by its certificate; now it offers none, or another than it can stand for. If that is right, run "${command} tls forget ${shortOf(remembered_address ?? '')}"`;
    return [];
  });
  return sentences.length === 0 ? null : sentences.join('\n');
}

const changedSentence = (who: string, address: string, fingerprint: string, command: string) =>
  `THE CERTIFICATE OF ${who} HAS CHANGED. Another machine may be answering in its place. Its fingerprint is now ${fingerprint}; compare it with "${command} tls fingerprint" on that machine. If it is right, run "${command} tls trust ${address.slice('https://'.length)}"`;
