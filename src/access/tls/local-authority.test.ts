import { describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { InterfaceAddress } from '../../host/network.ts';
import type { Paths } from '../../host/paths.ts';
import type { StartThread } from '../../lib/thread.ts';
import { issueInThread } from './certificates.thread.ts';
import { inspectCertificate, issueCertificate, permittedDomainsOf } from './certificates.ts';
import { ensureOwnCertificate, ownCertificateFiles } from './local-authority.ts';

const dayMs = 86_400_000;

/** Runs the job of the thread in this one. */
const issueHere: StartThread = async (_job, order, { message }) => {
  const { receive, end } = await issueInThread(message, order);
  return { send: (sent) => void receive(sent), end: () => end?.() };
};

function machine(
  hostname = 'Box.example.org',
  addresses: string[] = ['192.168.1.5', '203.0.113.9'],
  searchDomains = ['lan', 'example.com'],
) {
  const state = { hostname, addresses, searchDomains, permissions: 0o600 };
  const storage = { ...memoryStorage(), permissions: () => state.permissions };
  const host = fakeHost({
    storage,
    paths: { state: '/state' } as Paths,
    environment: { hostname: () => state.hostname },
    network: {
      addresses: () =>
        state.addresses.map(
          (address): InterfaceAddress => ({
            interface: 'eth0',
            family: 4,
            address,
            mac: '02:00:00:00:00:01',
            internal: false,
            scopeId: null,
          }),
        ),
      searchDomains: () => state.searchDomains,
    },
    startThread: issueHere,
  });
  host.clock.set(Date.UTC(2026, 10, 1));
  const files = ownCertificateFiles(host);
  const text = (file: string) => storage.contents.get(file) ?? '';
  const facts = () => inspectCertificate({ certificate: text(files.machine), key: text(files.machine) });
  return {
    host,
    state,
    files,
    text,
    facts,
    ensure: (renew = false) => ensureOwnCertificate(host, ['nas.lan', 'my.example.net'], { renew }),
  };
}

describe('the certificate of this machine', () => {
  test('is created at the first use, by its own authority, for the names and addresses of a home network', async () => {
    const { ensure, facts, files, text } = machine();
    expect(await ensure()).toBe(true);
    const { names, authority, from, until } = await facts();
    // Of extended key usage: servers only.
    for (const file of [files.authority, files.machine])
      expect(new X509Certificate(text(file)).keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    // By this name packages/client/src/pin.ts knows an authority that vouches for one machine only.
    expect(authority?.subject).toStartWith('CN=Hostler authority of ');
    expect(names).toEqual([
      'localhost',
      'box',
      'box.local',
      'box-hostler.local',
      'box.lan',
      'nas.lan',
      '127.0.0.1',
      '0:0:0:0:0:0:0:1',
      '192.168.1.5',
      '203.0.113.9',
    ]);
    expect(new Date(from).toISOString()).toBe('2026-10-31T00:00:00.000Z');
    expect(until - from).toBe(91 * dayMs);
    const root = new X509Certificate(text(files.shared));
    expect(root.fingerprint256).toBe(authority?.fingerprint ?? '');
    expect(root.ca).toBe(true);
    expect(new X509Certificate(text(files.machine)).verify(root.publicKey)).toBe(true);
    expect(await ensure()).toBe(false);
  });

  test('is renewed a month before it ends, with another key, and the authority stays', async () => {
    const { ensure, facts, host, files, text } = machine();
    await ensure();
    const before = await facts();
    host.clock.set(host.clock.now() + 59 * dayMs);
    expect(await ensure()).toBe(false);
    host.clock.set(host.clock.now() + 2 * dayMs);
    expect(await ensure()).toBe(true);
    const after = await facts();
    expect(after.fingerprint).not.toBe(before.fingerprint);
    expect(after.authority?.fingerprint).toBe(before.authority?.fingerprint ?? '');
    expect(text(files.machine).match(/PRIVATE KEY-----$/gm)).toHaveLength(2);
  });

  test('never includes the key of the authority, which is never shown', async () => {
    const { ensure, files, text } = machine();
    await ensure();
    await ensure(true);
    const [, secret = ''] = /-----BEGIN PRIVATE KEY-----\n([^-]+)/.exec(text(files.authority)) ?? [];
    expect(secret.length).toBeGreaterThan(100);
    expect(text(files.machine)).not.toContain(secret);
    expect(text(files.shared)).not.toContain('PRIVATE');
  });

  test('follows a new address and a new name; a name the authority may not sign is left out', async () => {
    const { ensure, facts, state } = machine();
    await ensure();
    state.addresses = ['10.0.0.7'];
    expect(await ensure()).toBe(true);
    expect((await facts()).names).toContain('10.0.0.7');
    state.hostname = 'other';
    expect(await ensure()).toBe(true);
    const { names } = await facts();
    expect(names).toContain('other.local');
    expect(names).not.toContain('other');
  });

  test('is not created with a clock that is not set, or with a key that others can read', async () => {
    const { ensure, host, state, files, text } = machine();
    host.clock.set(Date.UTC(2000, 0, 1));
    await expect(ensure()).rejects.toThrow('The clock of this machine is not set');
    host.clock.set(Date.UTC(2026, 10, 1));
    await ensure();
    state.permissions = 0o640;
    await expect(ensure()).rejects.toThrow(
      `can be read or changed by other users. Fix it with "chmod 600 ${files.authority}"`,
    );
    expect(text(files.machine)).not.toBe('');
  });
});

describe('below fritz.box and ts.net, which others use as well', () => {
  const tailnet = ['tail1234.ts.net', 'fritz.box'];

  test('a new authority may sign the names of this machine only', async () => {
    const { ensure, facts, files, text } = machine('box', [], tailnet);
    await ensure();
    expect(await permittedDomainsOf(text(files.shared))).toEqual([
      ...['box', 'localhost', 'local', 'lan', 'home', 'internal', 'home.arpa', 'localdomain'],
      ...['box.fritz.box', 'box.tail1234.ts.net'],
    ]);
    expect((await facts()).names).toContain('box.tail1234.ts.net');
  });

  test('a name that came later is left out without reissuing', async () => {
    const { ensure, facts, state } = machine('box', [], ['lan']);
    await ensure();
    state.searchDomains = tailnet;
    await ensure();
    const { names } = await facts();
    expect(names).toContain('box.fritz.box');
    expect(names).not.toContain('box.tail1234.ts.net');
    expect(await ensure()).toBe(false);
  });

  test('an authority that was made for the whole domains stays in use for all its names', async () => {
    const { host, ensure, facts, files } = machine('box', [], tailnet);
    const earlier = ['box', 'localhost', 'local', 'fritz.box', 'ts.net'];
    const { authority } = await issueCertificate(issueHere, {
      ...{ authority: null, authorityName: 'Hostler authority of box', permittedDomains: earlier },
      ...{ machineName: 'box (Hostler)', names: ['box'], addresses: [], now: host.clock.now() },
    });
    host.storage.write(files.authority, `${authority.certificate}${authority.key}`);
    await ensure();
    const { names, authority: used } = await facts();
    expect(used?.certificate.trim()).toBe(authority.certificate.trim());
    expect(names).toContain('box.tail1234.ts.net');
    expect(names).toContain('box.fritz.box');
  });
});

test('an authority without constraints is reported as such', async () => {
  const { ensure, files, text } = machine();
  await ensure();
  const [own = ''] = text(files.machine).split(/(?<=END CERTIFICATE-----\n)/);
  expect(await permittedDomainsOf(own)).toBeNull();
});

test('a mismatched key, an encrypted key and a file without a certificate have different errors', async () => {
  const { ensure, files, text } = machine();
  await ensure();
  const first = text(files.machine);
  await ensure(true);
  const second = text(files.machine);
  await expect(inspectCertificate({ certificate: first, key: second })).rejects.toThrow(
    'the key belongs to another certificate',
  );
  await expect(inspectCertificate({ certificate: 'hello', key: second })).rejects.toThrow(
    'it holds no certificate in PEM format',
  );
  await expect(inspectCertificate({ certificate: second, key: 'hello' })).rejects.toThrow('the key cannot be read');
  const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----';
  await expect(inspectCertificate({ certificate: second, key: encrypted })).rejects.toThrow('the key is encrypted');
});
