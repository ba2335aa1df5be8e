import { ClientError } from './client-error.ts';

/** Stores the pinned authority of a machine. */
export interface PinMemory {
  /** What `write` was given for this machine; null: no pin yet. */
  read(): string | null | Promise<string | null>;
  /** A certificate in PEM format, and its fingerprint for users. */
  write(certificate: string, fingerprint: string): void | Promise<void>;
}

/** Options for the WebSocket; null: none, since nothing is pinned and the system trusts the machine. Rejects where the certificate is not the pinned one. */
export type Pin = (url: string, limitMs: number) => Promise<PinnedOptions | null>;

/**
 * Pins the authority of a machine at the first connection, and refuses every other one later. Only where the runtime lets a program
 * see and choose certificates: Bun, and Node with the package `ws`. Browsers offer no such interface.
 */
export const pinTo =
  (memory: PinMemory): Pin =>
  async (url, limitMs) => {
    const peer = await readPeerAuthority(url, limitMs);
    const known = await memory.read();
    if (known === null && peer.isTrusted) return null;
    if (known === null) await memory.write(peer.certificate, peer.fingerprint);
    else if (known.trim() !== peer.certificate.trim())
      throw new ClientError(
        'CERTIFICATE_CHANGED',
        `Another machine may be answering at ${url}: its certificate authority is not the pinned one. Its fingerprint is now ${peer.fingerprint}; compare it with "hostler tls fingerprint" on that machine before you trust it`,
      );
    const pinned = pinnedBy(peer);
    return { ...pinned, tls: pinned };
  };

/** What every later connection has to prove. */
export const pinnedBy = ({ certificate: ca, isForAnyName }: PeerAuthority): PinnedCertificate => ({
  ca,
  // NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the pin off.
  rejectUnauthorized: true,
  ...(isForAnyName && { checkServerIdentity: () => undefined }),
});

/** The authority of a machine: the one sent with its certificate, or that certificate itself. */
export interface PeerAuthority {
  /** SHA-256, as `AB:CD:…`. */
  fingerprint: string;
  /** PEM. */
  certificate: string;
  /** This system trusts it under the requested name: nothing has to be pinned, but a pin is required as well. */
  isTrusted: boolean;
  /**
   * It authenticates this machine alone, which has many names. A shared authority authenticates only the names in a certificate:
   * without them each of its customers could impersonate this machine.
   */
  isForAnyName: boolean;
}

/** The only certificate that may authenticate a machine, as options of TLS. */
export interface PinnedCertificate {
  ca: string;
  rejectUnauthorized: true;
  checkServerIdentity?(): undefined;
}

/** Options for a WebSocket; Bun and the package `ws` have other names for the same. */
export interface PinnedOptions extends PinnedCertificate {
  tls: PinnedCertificate;
}

/** A handshake without data. */
export async function readPeerAuthority(url: string, limitMs: number): Promise<PeerAuthority> {
  const peer = await shakeHands(url, limitMs);
  // A server can send any authority beside its certificate; a second handshake proves whether that authority signed it.
  if (!peer.isTrusted && peer.hasAuthority) await shakeHands(url, limitMs, pinnedBy(peer));
  return peer;
}

async function shakeHands(
  url: string,
  limitMs: number,
  pinned?: PinnedCertificate,
): Promise<PeerAuthority & { hasAuthority: boolean }> {
  const { connect } = await loadTls();
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return await new Promise((resolve, reject) => {
    // SNI takes no IP address.
    const isName = !/^[\d.]+$|:/.test(host);
    const socket = connect({
      host,
      port: Number(port || 443),
      rejectUnauthorized: pinned !== undefined,
      ...pinned,
      ...(isName ? { servername: host } : {}),
    });
    const fail = (sentence: string) => {
      socket.destroy();
      reject(new ClientError('CONNECTION_LOST', sentence));
    };
    const timer = setTimeout(() => fail(`${url} does not answer`), limitMs);
    socket.on('error', ({ message }) => {
      clearTimeout(timer);
      fail(`${url} cannot be reached with TLS: ${message}`);
    });
    socket.on('secureConnect', () => {
      clearTimeout(timer);
      const own = socket.getPeerCertificate(true);
      const top = topOf(own);
      socket.destroy();
      if (top.raw === undefined) return fail(`${url} sent no certificate`);
      resolve({
        fingerprint: top.fingerprint256 ?? '',
        certificate: toPem(top.raw),
        isTrusted: socket.authorized,
        isForAnyName: top === own || ownAuthority.test(top.subject?.CN ?? ''),
        hasAuthority: top !== own,
      });
    });
  });
}

/** Name of the authority that a machine makes for itself alone: src/access/tls/local-authority.ts. */
const ownAuthority = /^Hostler authority of /;

interface PeerCertificate {
  raw?: Uint8Array;
  fingerprint256?: string;
  subject?: { CN?: string };
  issuerCertificate?: PeerCertificate;
}

/** The part of node:tls in use. */
interface Tls {
  connect(options: {
    host: string;
    port: number;
    rejectUnauthorized: boolean;
    servername?: string;
    ca?: string;
    checkServerIdentity?(): undefined;
  }): {
    authorized: boolean;
    getPeerCertificate(detailed: true): PeerCertificate;
    on(event: 'secureConnect', listener: () => void): void;
    on(event: 'error', listener: (error: { message: string }) => void): void;
    destroy(): void;
  };
}

/** By a name that no bundler follows: a browser has no such module, and needs it only for pinning. */
async function loadTls(): Promise<Tls> {
  const name = 'node:tls';
  try {
    return await import(/* @vite-ignore */ name);
  } catch {
    throw new ClientError(
      'NO_PINNING',
      'This runtime does not support custom trusted certificates, so pinning is not available. Omit the option pin, and make the runtime trust the certificate authority of that machine',
    );
  }
}

/** An authority is its own issuer. */
function topOf(certificate: PeerCertificate): PeerCertificate {
  const above = certificate.issuerCertificate;
  return above === undefined || above.fingerprint256 === certificate.fingerprint256 ? certificate : topOf(above);
}

function toPem(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n') ?? ''}\n-----END CERTIFICATE-----\n`;
}
