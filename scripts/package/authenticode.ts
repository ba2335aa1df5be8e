import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The certificate and the key that sign programs for Windows, as PEM files. */
export interface CodeSigning {
  certificate: string;
  key: string;
  /** A file with the password of the key, in its first line. */
  password: string | null;
  /** The address of a timestamp server, so that the signature outlives the certificate (RFC 3161). */
  timestamp: string | null;
}

/** null: programs are not signed. */
export function codeSigningFrom(environment: NodeJS.ProcessEnv): CodeSigning | null {
  const value = (name: string) => environment[`HOSTLER_CODE_SIGNING_${name}`] || null;
  const [certificate, key] = [value('CERTIFICATE'), value('KEY')];
  if (certificate === null && key === null) return null;
  if (certificate === null || key === null)
    throw new Error(
      'HOSTLER_CODE_SIGNING_CERTIFICATE and HOSTLER_CODE_SIGNING_KEY name two files; only one of them is set',
    );
  return { certificate, key, password: value('PASSWORD_FILE'), timestamp: value('TIMESTAMP') };
}

/** The program with an Authenticode signature, made by osslsigncode. `time`: the release time in seconds, so that two builds stay the same bytes. */
export function signedProgram(program: Uint8Array, signing: CodeSigning, time: number): Uint8Array {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-signing-'));
  try {
    const [unsigned, signed] = [path.join(scratch, 'unsigned.exe'), path.join(scratch, 'signed.exe')];
    fs.writeFileSync(unsigned, program);
    const given = [
      '-certs',
      signing.certificate,
      '-key',
      signing.key,
      ...(signing.password === null ? [] : ['-readpass', signing.password]),
      ...(signing.timestamp === null ? [] : ['-ts', signing.timestamp]),
      '-h',
      'sha256',
      '-n',
      'Hostler',
      '-time',
      String(time),
    ];
    const done = spawnSync('osslsigncode', ['sign', ...given, '-in', unsigned, '-out', signed], { encoding: 'utf8' });
    if (done.error !== undefined) throw new Error('osslsigncode, which signs for Windows, is not installed');
    if (done.status !== 0) throw new Error(`osslsigncode does not sign: ${`${done.stdout}${done.stderr}`.trim()}`);
    return fs.readFileSync(signed);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
