import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** What signs programs for Windows: a certificate, and a key in a file or in hardware (PKCS#11). */
export interface CodeSigning {
  /** A PEM file, with its chain. */
  certificate: string;
  /** A PEM file, or with a module the URI of the key (`pkcs11:token=…;object=…;type=private`). */
  key: string;
  /** The PKCS#11 library of the hardware; null: the key is a file. */
  module: string | null;
  /** A file with the password of the key or the PIN of the token, in its first line. */
  password: string | null;
  /** The address of a timestamp server, so that the signature outlives the certificate (RFC 3161). */
  timestamp: string | null;
}

/** null: programs are not signed. */
export function codeSigningFrom(environment: NodeJS.ProcessEnv): CodeSigning | null {
  const value = (name: string) => environment[`HOSTLER_CODE_SIGNING_${name}`] || null;
  const [certificate, key, module] = [value('CERTIFICATE'), value('KEY'), value('MODULE')];
  if (certificate === null && key === null) return null;
  if (certificate === null || key === null)
    throw new Error(
      'HOSTLER_CODE_SIGNING_CERTIFICATE and HOSTLER_CODE_SIGNING_KEY name the certificate and its key; only one of them is set',
    );
  if ((module === null) === key.startsWith('pkcs11:'))
    throw new Error(
      'HOSTLER_CODE_SIGNING_KEY must be the pkcs11: URI of a key if, and only if, HOSTLER_CODE_SIGNING_MODULE is set',
    );
  if (/pin-value/i.test(key))
    throw new Error(
      'HOSTLER_CODE_SIGNING_KEY must not contain the PIN; HOSTLER_CODE_SIGNING_PASSWORD_FILE names a file with it',
    );
  return { certificate, key, module, password: value('PASSWORD_FILE'), timestamp: value('TIMESTAMP') };
}

/** The program, installer or MSI with an Authenticode signature. `time`: the release time in seconds, so that two builds stay the same bytes. */
export function signedProgram(program: Uint8Array, signing: CodeSigning, time: number): Uint8Array {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-signing-'));
  try {
    const [unsigned, signed] = [path.join(scratch, 'unsigned'), path.join(scratch, 'signed')];
    fs.writeFileSync(unsigned, program);
    const [name = '', ...args] = signingCommand(signing, time, unsigned, signed);
    const done = spawnSync(name, args, { encoding: 'utf8' });
    if (done.error !== undefined) throw new Error('osslsigncode, which signs for Windows, is not installed');
    if (done.status !== 0) throw new Error(`osslsigncode does not sign: ${`${done.stdout}${done.stderr}`.trim()}`);
    return fs.readFileSync(signed);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

export function signingCommand(signing: CodeSigning, time: number, from: string, to: string): string[] {
  const { certificate, key, module, password, timestamp } = signing;
  return [
    'osslsigncode',
    'sign',
    ...(module === null ? [] : ['-pkcs11module', module, '-login']),
    ...['-certs', certificate, '-key', key],
    ...(password === null ? [] : ['-readpass', password]),
    ...(timestamp === null ? [] : ['-ts', timestamp]),
    ...['-h', 'sha256', '-n', 'Hostler', '-time', String(time), '-in', from, '-out', to],
  ];
}
