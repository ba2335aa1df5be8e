import path from 'node:path';
import { inspectCertificate } from '../../access/tls/certificates.ts';
import {
  ensureOwnCertificate,
  forAGroup,
  ownCertificateFiles,
  readPrivate,
  refuseSharedKey,
} from '../../access/tls/local-authority.ts';
import type { TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import type { SecureOptions } from './server.ts';

export type CertificateText = Pick<SecureOptions, 'certificate' | 'key'>;

/** The source of the certificate, from the settings. */
export interface CertificateSource {
  /** Absolute paths of the files to watch. */
  files: string[];
  /** Changes whenever a file changes. */
  signature(): string;
  /** Creates or renews our own certificate. Throws an explanation. */
  read(): Promise<CertificateText>;
  /** Expiry in Unix milliseconds. Throws an explanation if it is not valid now. */
  check(text: CertificateText): Promise<{ until: number; fingerprint: string; chain: readonly string[] }>;
}

export function certificateSource({
  host,
  log,
  settings,
}: Pick<TransportParts, 'host' | 'log' | 'settings'>): CertificateSource {
  const { storage, clock } = host;
  const { tls, tlsCertificate, tlsKey } = settings.current().server;
  const own = ownCertificateFiles(host);
  const isAuto = tls === 'auto';
  const files = isAuto ? [own.machine] : [tlsCertificate, tlsKey].filter((file) => path.isAbsolute(file));
  const named = isAuto ? own.machine : tlsCertificate;

  const readOwn = async (): Promise<CertificateText> => {
    if (await ensureOwnCertificate(host, settings.current().security.allowedHosts))
      log.info(`tls: created a certificate for this machine in ${own.directory}`);
    const pair = await readPrivate(host, own.machine);
    if (pair === null) throw new Error(`${own.machine} is missing`);
    return pair;
  };

  const readFile = (file: string): string => {
    if (!path.isAbsolute(file)) throw new Error(`${file} must be an absolute path`);
    const text = storage.read(file);
    if (text === null) throw new Error(`${file} does not exist`);
    return text;
  };

  return {
    files,
    signature: () => JSON.stringify(files.map((file) => storage.signature(file))),
    async read() {
      if (isAuto) return await readOwn();
      if (tlsCertificate === '' || tlsKey === '')
        throw new Error('server.tls is "files", but server.tlsCertificate or server.tlsKey names no file');
      refuseSharedKey(host, tlsKey, forAGroup);
      return { certificate: readFile(tlsCertificate), key: readFile(tlsKey) };
    },
    async check(text) {
      const { from, until, fingerprint, chain } = await inspectCertificate(text).catch((error: unknown) => {
        throw new Error(`${named} cannot be used: ${messageOf(error)}`);
      });
      const now = clock.now();
      if (until <= now) throw new Error(`The certificate in ${named} expired on ${day(until)}`);
      if (from > now) throw new Error(`The certificate in ${named} is not valid before ${day(from)}; check the clock`);
      return { until, fingerprint, chain };
    },
  };
}

export const day = (at: number) => new Date(at).toISOString().slice(0, 10);
