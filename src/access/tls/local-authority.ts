import path from 'node:path';
import type { Host } from '../../host/host.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { privateSuffixes } from '../origin/origin-check.ts';
import { readSecret, sealed } from '../secrets.ts';
import { inspectCertificate, issueCertificate, type KeyPair, permittedDomainsOf } from './certificates.ts';

type Parts = Pick<Host, 'storage' | 'sealing' | 'paths' | 'clock' | 'environment' | 'network' | 'startThread'>;

const dayMs = 86_400_000;
/** Of 90 days: a client that was off for a month still finds a valid one. */
const renewBeforeMs = 30 * dayMs;
/** Release date of this feature: an earlier clock is not set and must not date an authority. */
const earliest = Date.UTC(2026, 0, 1);

/** Paths of the certificates of this machine. A certificate and its key share a file, which is replaced as a whole. */
export function ownCertificateFiles({ paths }: Pick<Host, 'paths'>) {
  const directory = path.join(paths.state, 'tls');
  return {
    directory,
    authority: path.join(directory, 'authority.pem'),
    machine: path.join(directory, 'machine.pem'),
    /** The authority without its key, for others to trust. */
    shared: path.join(directory, 'authority.crt'),
  };
}

/**
 * Ensures that this machine has a certificate for its names, from its own authority, valid for a month at least. Creates the authority at the
 * first use and then keeps it, because clients pin and trust it. True: there is a new certificate.
 */
export async function ensureOwnCertificate(
  parts: Parts,
  allowedHosts: Settings['security']['allowedHosts'],
  { renew = false }: { renew?: boolean } = {},
): Promise<boolean> {
  const { storage, clock, environment } = parts;
  const files = ownCertificateFiles(parts);
  const now = clock.now();
  storage.prepareDirectory(files.directory);
  const authority = await readPrivate(parts, files.authority);
  const facts = authority === null ? null : await inspectCertificate(authority);
  if ((facts === null || facts.until < now) && now < earliest)
    throw new Error(
      'The clock of this machine is not set, so no certificate was created; Hostler tries again when the clock is set',
    );
  const usable = facts !== null && facts.until > now ? authority : null;
  const machineName = shortName(environment.hostname());
  const permittedDomains =
    usable === null ? domainsFor(parts, allowedHosts) : await permittedDomainsOf(usable.certificate);
  const wanted = namesOf(parts, allowedHosts, permittedDomains);
  if (!renew && usable !== null && (await isGood(parts, wanted, facts?.fingerprint ?? ''))) return false;
  const issued = await issueCertificate(parts.startThread, {
    authority: usable,
    authorityName: `Hostler authority of ${machineName}`,
    permittedDomains: permittedDomains ?? [],
    machineName: `${machineName} (Hostler)`,
    names: wanted.names,
    addresses: wanted.addresses,
    now,
  });
  const [authorityText, machineText] = await Promise.all(
    [issued.authority, issued.machine].map((pair) => sealed(parts, joined(pair))),
  );
  storage.locked(files.machine, () => {
    if (usable === null) storage.write(files.authority, authorityText ?? '');
    storage.write(files.shared, issued.authority.certificate);
    storage.write(files.machine, machineText ?? '');
  });
  return true;
}

/** null: no such file. Throws a sentence if others can read or change it. */
export async function readPrivate(parts: Pick<Host, 'storage' | 'sealing'>, file: string): Promise<KeyPair | null> {
  const text = await readSecret(parts, file);
  if (text === null) return null;
  refuseSharedKey(parts, file, forOwnerOnly);
  // Separated: the certificate is public, the key is not.
  return {
    certificate: blocksIn(text, 'CERTIFICATE'),
    key: blocksIn(text, 'PRIVATE KEY'),
  };
}

const forOwnerOnly = 0o077;
/** A group such as ssl-cert may read it. */
export const forAGroup = 0o007;

export function refuseSharedKey({ storage }: Pick<Host, 'storage'>, file: string, forbidden: number): void {
  const permissions = storage.permissions(file) ?? 0;
  if ((permissions & forbidden) !== 0)
    throw new Error(`The key in ${file} can be read or changed by other users. Fix it with "chmod 600 ${file}"`);
  const exposure = storage.exposure(file);
  if (exposure !== null)
    throw new Error(`The key in ${file} is not safe: ${exposure.problem}. Fix it with "${exposure.fix}"`);
}

const blocksIn = (text: string, label: string) =>
  (text.match(new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`, 'g')) ?? [])
    .map((block) => `${block}\n`)
    .join('');

/** Whether the certificate is from this authority, valid for a while, and for every current name. One for more names is accepted. */
async function isGood(parts: Parts, wanted: Names, authority: string): Promise<boolean> {
  const pair = await readPrivate(parts, ownCertificateFiles(parts).machine);
  if (pair === null) return false;
  try {
    const facts = await inspectCertificate(pair);
    const now = parts.clock.now();
    return (
      facts.authority?.fingerprint === authority &&
      facts.from <= now &&
      facts.until - now > renewBeforeMs &&
      [...wanted.names, ...wanted.lasting].every((name) => facts.names.includes(name))
    );
  } catch {
    return false;
  }
}

interface Names {
  names: string[];
  addresses: string[];
  /** Addresses that justify a new certificate: temporary IPv6 addresses change every day. */
  lasting: string[];
}

/** All names and addresses of this machine that its authority may sign: one that it may not would invalidate the certificate. */
function namesOf(parts: Parts, allowedHosts: readonly string[], permittedDomains: readonly string[] | null): Names {
  const { network } = parts;
  const permitted = (name: string) =>
    permittedDomains === null || permittedDomains.some((end) => name === end || name.endsWith(`.${end}`));
  const addresses = network.addresses().map(({ address }) => address.toLowerCase());
  // Link-local addresses are ambiguous without the interface.
  const own = ['127.0.0.1', '::1', ...addresses].filter((address) => !/^fe[89ab]/.test(address));
  return {
    names: ownNames(parts, allowedHosts).filter(permitted),
    addresses: [...new Set(own)].slice(0, mostAddresses),
    lasting: own.filter((address) => !address.includes(':')).slice(0, mostAddresses),
  };
}

/** What a new authority may vouch for: the domains that no one can register, and below the registered ones the names of this machine only. */
function domainsFor(parts: Parts, allowedHosts: readonly string[]): string[] {
  const short = shortName(parts.environment.hostname());
  const own = ownNames(parts, allowedHosts).filter((name) => registered.some((end) => name.endsWith(`.${end}`)));
  const unregistered = privateSuffixes.filter((end) => !registered.includes(end));
  return [...new Set([short, 'localhost', ...unregistered, `${short}.fritz.box`, ...own])];
}

function ownNames({ environment, network }: Parts, allowedHosts: readonly string[]): string[] {
  const full = environment.hostname().toLowerCase();
  const short = shortName(full);
  const domains = network.searchDomains().map((domain) => `${short}.${domain}`);
  const names = ['localhost', short, full, `${short}.local`, `${short}-hostler.local`, ...domains, ...allowedHosts];
  return [...new Set(names.map((name) => name.toLowerCase()))].filter(isDnsName);
}

const mostAddresses = 64;
/** Private suffixes that a company registered: other people have names below them in the public DNS. */
const registered = ['fritz.box', 'ts.net'];

const shortName = (hostname: string) =>
  hostname
    .toLowerCase()
    .split('.')[0]
    ?.replace(/[^a-z0-9-]/g, '-') || 'machine';
const isDnsName = (name: string) =>
  name.length <= 253 &&
  /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)*$/.test(name) &&
  !/^[\d.]+$/.test(name);

const joined = ({ certificate, key }: KeyPair) => `${certificate.trimEnd()}\n${key.trimEnd()}\n`;
