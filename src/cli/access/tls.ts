import { readPeerAuthority } from '@hostler/client/pin.ts';
import { inspectCertificate, type KeyPair } from '../../access/tls/certificates.ts';
import { openKnownMachines } from '../../access/tls/known-machines.ts';
import { ensureOwnCertificate, ownCertificateFiles, readPrivate } from '../../access/tls/local-authority.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { openOwnSettings } from '../command-settings.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';

const answerMs = 10_000;

export async function printFingerprint({ host, answer, command }: CliContext): Promise<void> {
  const settings = await readSettings(host);
  const facts = await inspectCertificate(await readPair({ host, command }, settings));
  const { fingerprint, authority, names, until } = facts;
  const expires = new Date(until).toISOString();
  const lines = [
    `authority    ${authority?.fingerprint ?? '(not in the file)'}`,
    `certificate  ${fingerprint}`,
    `names        ${names.join(', ')}`,
    `expires      ${expires.slice(0, 10)}`,
  ];
  await answer(
    { authority: authority?.fingerprint ?? null, certificate: fingerprint, names, expires },
    lines.join('\n'),
  );
}

/** Without an address: instructions for others. With one: replaces what was remembered of it, once its fingerprint is confirmed. */
export async function trust(
  context: CliContext,
  address: string | undefined,
  options: { fingerprint?: string },
): Promise<void> {
  if (address === undefined) return await explainTrust(context);
  const url = urlOf(address);
  const { fingerprint, certificate, isTrusted } = await readPeerAuthority(url, answerMs);
  const { fingerprint: expected } = options;
  if (expected !== undefined && hexOf(expected) !== hexOf(fingerprint))
    throw new Error(`${url} has another fingerprint, so nothing was changed: ${fingerprint}`);
  const machines = openKnownMachines(context.host);
  const known = machines.find({ uuid: '', address: url });
  if (isTrusted) {
    // Until now another certificate was required.
    if (known !== null && known.fingerprint !== fingerprint) machines.forget(url);
    return context.print(`This system already trusts ${url}, through a certificate authority that it knows.`);
  }
  const before = known !== null && known.fingerprint !== fingerprint ? [`Until now   ${known.fingerprint}`] : [];
  if (expected === undefined) await compareFingerprint(context, url, [...before, `Fingerprint ${fingerprint}`]);
  machines.remember({ uuid: known?.uuid ?? '', address: url, fingerprint, certificate });
  for (const line of [...before, `Trusting    ${fingerprint}`]) context.print(line);
}

/** Throws unless the user confirms it. Another machine that answers at this address has another fingerprint. */
async function compareFingerprint({ prompt, command }: CliContext, url: string, lines: string[]): Promise<void> {
  const { interactive, line } = await prompt();
  if (!interactive)
    throw new UsageError(
      `Without a terminal to ask at, give --fingerprint as "${command} tls fingerprint" prints it on ${new URL(url).hostname}`,
    );
  const question = `Does "${command} tls fingerprint" on ${new URL(url).hostname} print the same? Type yes: `;
  if (!/^y(es)?$/i.test(line([...lines, question].join('\n')))) throw new Error('Not confirmed; nothing was changed');
}

const hexOf = (fingerprint: string) => fingerprint.replaceAll(/[:\s]/g, '').toUpperCase();

/** For a machine that no longer offers TLS, or is gone. */
export async function forget({ host, print }: CliContext, address: string): Promise<void> {
  const url = urlOf(address);
  if (!openKnownMachines(host).forget(url)) throw new Error(`${url} is not a known machine`);
  print(`${url} was forgotten; the next connection treats it as a new machine.`);
}

export async function renew({ host, print, command }: CliContext): Promise<void> {
  const settings = await readSettings(host);
  if (settings.server.tls === 'files')
    throw new Error('This machine uses your own certificate: replace the files, and the service loads them');
  if (settings.server.tls === 'off') throw new Error(offSentence(command));
  await ensureOwnCertificate(host, settings.security.allowedHosts, { renew: true });
  const { until, authority } = await inspectCertificate(await readPair({ host, command }, settings));
  print(`A new certificate was created, valid until ${new Date(until).toISOString().slice(0, 10)}.`);
  print(`The fingerprint of its authority is ${authority?.fingerprint ?? 'unknown'}`);
}

async function explainTrust({ host, print, command }: CliContext): Promise<void> {
  const settings = await readSettings(host);
  const { authority } = await inspectCertificate(await readPair({ host, command }, settings));
  if (settings.server.tls === 'files' || authority === null)
    return print('This machine uses your own certificate: other machines trust it if they trust its issuer.');
  const { shared } = ownCertificateFiles(host);
  print(`The authority of this machine is in ${shared}`);
  print(`Its fingerprint is ${authority.fingerprint}`);
  print('');
  print('Debian, Ubuntu   sudo cp <file> /usr/local/share/ca-certificates/hostler.crt && sudo update-ca-certificates');
  print('Fedora, Arch     sudo trust anchor <file>');
  print('Firefox          Settings, Privacy & Security, View Certificates, Authorities, Import');
  print('Phones           open /api/tls/authority.crt of this service in the browser of the phone');
  print(`Another Hostler  ${command} tls trust <this machine> --fingerprint ${authority.fingerprint}`);
}

async function readPair(
  { host, command }: Pick<CliContext, 'host' | 'command'>,
  { server }: Settings,
): Promise<KeyPair> {
  if (server.tls === 'off') throw new Error(offSentence(command));
  if (server.tls === 'auto') {
    const pair = await readPrivate(host, ownCertificateFiles(host).machine);
    if (pair !== null) return pair;
    throw new Error(`There is no certificate yet: it is created when the service starts, or by "${command} tls renew"`);
  }
  const [certificate, key] = [server.tlsCertificate, server.tlsKey].map((file) => {
    const text = file === '' ? null : host.storage.read(file);
    if (text === null)
      throw new Error(`${file || 'The file in server.tlsCertificate or server.tlsKey'} does not exist`);
    return text;
  });
  return { certificate: certificate ?? '', key: key ?? '' };
}

const offSentence = (command: string) =>
  `Encrypted access is off; "${command} settings set server.tls auto" switches it on at the next start`;

const readSettings = async (host: CliContext['host']) => (await openOwnSettings(host, 'ERROR')).current();

/** `box`, `box:9171`, `[fd00::1]:9171` or the whole address. */
function urlOf(address: string): string {
  const url = URL.parse(address.includes('://') ? address : `https://${address}`);
  if (url === null || url.protocol !== 'https:')
    throw new UsageError(`${JSON.stringify(address)} is not an address such as box.local:9171`);
  return `https://${url.hostname}:${url.port || usualPort}`;
}

const usualPort = 9171;
