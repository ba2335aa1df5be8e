import { type PeerAuthority, pinnedBy, readPeerAuthority } from '@hostler/client/pin.ts';
import { type KnownMachine, type KnownMachines, openKnownMachines } from '../../access/tls/known-machines.ts';
import { shellQuoted } from '../../lib/quoted.ts';
import type { FoundService } from '../../transports/discovery/found-services.ts';
import type { CliContext } from '../context.ts';
import type { Vouching } from '../remote-http.ts';
import { remoteLine, remoteQuote } from '../remote-text.ts';

/**
 * `new`: seen for the first time, and remembered. `trusted`: it is unknown, and the system trusts its authority. `unproven`: it used TLS before, and now
 * offers none or the handshake fails. null: it has no TLS, or did not answer, and never did.
 */
export type PeerTrust = 'new' | 'known' | 'trusted' | 'changed' | 'unproven' | null;

export interface CheckedService extends FoundService {
  fingerprint: string | null;
  certificate: PeerTrust;
  /** Its last address with TLS; null: never. */
  remembered_address: string | null;
}

const answerMs = 5000;
/** A peer could announce thousands; known ones are always checked. */
const mostNew = 64;

/** Makes a TLS handshake with those that offer TLS, and compares with what was remembered. */
export async function checkServices(
  { host, complain }: Pick<CliContext, 'host' | 'complain'>,
  services: FoundService[],
): Promise<CheckedService[]> {
  const machines = openKnownMachines(host);
  let unknown = 0;
  return await Promise.all(
    services.map(async (service) => {
      const known = machines.alike({ uuid: service.uuid, address: service.tls_address });
      const peer = known.length > 0 || unknown++ < mostNew ? await greet(service) : null;
      const certificate = peer === null ? (known.length > 0 ? 'unproven' : null) : compare(machines, service, peer);
      if (
        peer !== null &&
        (certificate === 'new' || certificate === 'known') &&
        !remember(machines, service, peer, true)
      )
        complain(
          `${remoteQuote(service.name)} was not remembered: too many machines are. A later change of its certificate is not noticed.`,
        );
      return {
        ...service,
        fingerprint: peer?.fingerprint ?? null,
        certificate,
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
): PeerTrust {
  // Its name may be known while its address belongs to another machine: both have to agree.
  const known = machines.alike({ uuid, address });
  if (known.some(({ fingerprint }) => fingerprint !== peer.fingerprint)) return 'changed';
  if (known.length > 0) return 'known';
  return peer.isTrusted ? 'trusted' : 'new';
}

/** Called if nothing contradicts it. false: there is no room. */
function remember(
  machines: KnownMachines,
  { uuid, tls_address: address }: Pick<FoundService, 'uuid' | 'tls_address'>,
  { fingerprint, certificate }: PeerAuthority,
  announced: boolean,
): boolean {
  const isKnown = (known: KnownMachine) =>
    known.address === address && known.uuid === uuid && (announced || !known.announced);
  if (machines.alike({ uuid, address }).some(isKnown)) return true;
  return machines.learn({ uuid, address, fingerprint, certificate, announced });
}

/** The certificate of a machine to pair with. */
export interface PairedPeer {
  /** The only certificate that may authenticate it. */
  vouching: Vouching;
  /** Part of what both sides compare. */
  fingerprint: string;
  /** Called after a successful pairing, which proves that the certificate belongs to that machine. */
  remember(): void;
}

/** Before anything is sent to a machine given by its address. null: it is unknown, and the system trusts it. Throws if the certificate has changed. */
export async function requireAcquaintance(
  { host, complain, command }: CliContext,
  address: string,
): Promise<PairedPeer | null> {
  const machines = openKnownMachines(host);
  const peer = await readPeerAuthority(address, answerMs);
  const uuid = machines.find({ uuid: '', address })?.uuid ?? '';
  const service = { uuid, tls_address: address };
  const status = compare(machines, service, peer);
  if (status === 'changed') throw new Error(changedSentence(address, address, peer.fingerprint, command));
  if (status === 'trusted') return null;
  if (status === 'new')
    complain(
      `This is the first connection to ${address}. Its fingerprint is ${peer.fingerprint}; the code proves that it belongs to that machine.`,
    );
  return {
    vouching: pinnedBy(peer),
    fingerprint: peer.fingerprint,
    remember: () => void remember(machines, service, peer, false),
  };
}

/** An address that a machine announced, as an argument of a suggested command. */
const wordOf = (address: string) => shellQuoted(remoteLine(address.slice('https://'.length)));

/** Warnings to print first; null: nothing has changed. */
export function certificateWarnings(services: CheckedService[], command: string): string | null {
  const sentences = services.flatMap(({ name, address, tls_address, fingerprint, certificate, remembered_address }) => {
    // The name and the addresses are what the machine announces.
    const who = `${remoteQuote(name)} (${remoteLine(tls_address || address)})`;
    if (certificate === 'changed') return changedSentence(who, tls_address, fingerprint ?? '', command);
    if (certificate === 'unproven')
      return `${who} CANNOT BE AUTHENTICATED. It used TLS before; now it does not offer TLS, or the handshake fails. If this is expected, run "${command} tls forget ${wordOf(remembered_address ?? '')}"`;
    return [];
  });
  return sentences.length === 0 ? null : sentences.join('\n');
}

const changedSentence = (who: string, address: string, fingerprint: string, command: string) =>
  `THE CERTIFICATE OF ${who} HAS CHANGED. Another machine may be answering in its place. Its fingerprint is now ${fingerprint}; compare it with "${command} tls fingerprint" on that machine. If it is right, run "${command} tls trust ${wordOf(address)}"`;
