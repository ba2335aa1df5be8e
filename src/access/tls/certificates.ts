import type { StartThread } from '../../lib/thread.ts';

/** A certificate, perhaps followed by those between it and its authority, and its private key: PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

export interface CertificateFacts {
  /** SHA-256 of the certificate, as `AB:CD:…`. */
  fingerprint: string;
  /** The same of each certificate that is sent, its own first. */
  chain: string[];
  /** The self-signed certificate at the end of the chain; null: not included. */
  authority: { fingerprint: string; subject: string; certificate: string } | null;
  /** Names and addresses it is for. */
  names: string[];
  /** Unix milliseconds. */
  from: number;
  until: number;
}

export interface IssueOrder {
  /** null: creates a new one. */
  authority: KeyPair | null;
  /** Name of the new authority, and the domains it may sign for, with their subdomains. */
  authorityName: string;
  permittedDomains: string[];
  machineName: string;
  names: string[];
  addresses: string[];
  now: number;
}

export interface Issued {
  authority: KeyPair;
  /** Its certificate is followed by the authority's. */
  machine: KeyPair;
}

/** Creates a certificate in a thread, so that the memory of the library is released afterwards. */
export async function issueCertificate(startThread: StartThread, order: IssueOrder): Promise<Issued> {
  const { promise, resolve, reject } = Promise.withResolvers<Issued>();
  const thread = await startThread('certificates', order, {
    // Our own thread.
    message: (message) => settle(message as ThreadReply, resolve, reject),
    failed: (reason) => reject(new Error(`the certificate could not be created: ${reason}`)),
  });
  try {
    return await promise;
  } finally {
    thread.end();
  }
}

export type ThreadReply = { issued: Issued } | { problem: string };

function settle(reply: ThreadReply, resolve: (issued: Issued) => void, reject: (error: Error) => void): void {
  if ('issued' in reply) resolve(reply.issued);
  else reject(new Error(`the certificate could not be created: ${reply.problem}`));
}

/** Throws a sentence if it is not a certificate or the key does not match. */
export async function inspectCertificate({ certificate, key }: KeyPair): Promise<CertificateFacts> {
  const { X509Certificate, createPrivateKey } = await import('node:crypto');
  const chain = certificatesIn(certificate).map((pem) => {
    try {
      return new X509Certificate(pem);
    } catch (cause) {
      throw new Error('it holds a certificate that cannot be read', { cause });
    }
  });
  const [own] = chain;
  if (own === undefined) throw new Error('it holds no certificate in PEM format');
  if (!own.checkPrivateKey(readKey(createPrivateKey, key))) throw new Error('the key belongs to another certificate');
  const last = chain.at(-1) ?? own;
  const isAuthority = last.verify(last.publicKey);
  return {
    fingerprint: own.fingerprint256,
    chain: chain.map(({ fingerprint256 }) => fingerprint256),
    authority: isAuthority
      ? { fingerprint: last.fingerprint256, subject: last.subject, certificate: last.toString() }
      : null,
    names: (own.subjectAltName ?? '')
      .split(', ')
      .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []),
    from: own.validFromDate.getTime(),
    until: own.validToDate.getTime(),
  };
}

/** The DNS names that an authority is limited to (RFC 5280, 4.2.1.10), which node:crypto does not report; null: it is not limited. */
export async function permittedDomainsOf(certificate: string): Promise<string[] | null> {
  const { X509Certificate } = await import('node:crypto');
  const der = new X509Certificate(certificate).raw;
  const at = der.indexOf(nameConstraintsOid);
  if (at === -1) return null;
  const value = elementsOf(der.subarray(at)).find(({ tag }) => tag === octetString)?.content ?? Buffer.alloc(0);
  const [constraints] = elementsOf(value);
  const permitted = elementsOf(constraints?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === permittedSubtrees);
  return elementsOf(permitted?.content ?? Buffer.alloc(0))
    .flatMap(({ content }) => elementsOf(content))
    .flatMap(({ tag, content }) => (tag === dnsName ? [content.toString('latin1').toLowerCase()] : []));
}

/** 2.5.29.30 with its tag and length. */
const nameConstraintsOid = Buffer.from('0603551d1e', 'hex');
const octetString = 0x04;
const permittedSubtrees = 0xa0;
const dnsName = 0x82;

/** The DER elements that follow each other in these bytes, up to the first that does not fit. */
function elementsOf(der: Buffer): { tag: number; content: Buffer }[] {
  const found: { tag: number; content: Buffer }[] = [];
  for (let at = 0; at + 2 <= der.length; ) {
    const [tag = 0, short = 0] = der.subarray(at, at + 2);
    const size = short < 0x80 ? 0 : short & 0x7f;
    const start = at + 2 + size;
    if (size > 4 || start > der.length) break;
    const length = size === 0 ? short : der.readUIntBE(at + 2, size);
    if (start + length > der.length) break;
    found.push({ tag, content: der.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

function readKey<T>(read: (pem: string) => T, pem: string): T {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: .*ENCRYPTED/m.test(pem))
    throw new Error('the key is encrypted; Hostler cannot ask for its passphrase');
  try {
    return read(pem);
  } catch (cause) {
    throw new Error('the key cannot be read', { cause });
  }
}

export function certificatesIn(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}
