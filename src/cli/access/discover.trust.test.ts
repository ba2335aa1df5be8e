import { afterEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { issue as issueHere } from '../../access/tls/certificates.issue.ts';
import type { KeyPair } from '../../access/tls/certificates.ts';
import type { Paths } from '../../host/paths.ts';
import { certificateWarnings, checkServices } from './discover.trust.ts';

const servers: tls.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve({ certificate, key }: KeyPair): Promise<string> {
  const server = tls.createServer({ cert: certificate, key }, (socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const issue = (machineName: string, addresses = ['127.0.0.1']) =>
  issueHere({
    authority: null,
    authorityName: 'Hostler authority of desk',
    permittedDomains: ['local'],
    machineName,
    names: ['desk.local'],
    addresses,
    now: Date.now(),
  });

function visitor() {
  const host = fakeHost({ storage: memoryStorage(), paths: { state: '/state' } as Paths });
  return async (uuid: string, tls_address: string) => {
    const service = {
      name: 'desk',
      host: 'desk.local',
      uuid,
      tls_address,
      address: 'http://10.0.0.1:9170',
      version: '6',
      types: [],
    };
    const met = await checkServices({ host, complain: () => {} }, [service]);
    return { certificate: met[0]?.certificate, alarm: certificateWarnings(met, 'hostler') };
  };
}

test('a machine is remembered, and recognised', async () => {
  const meet = visitor();
  const address = await serve((await issue('desk')).machine);
  expect(await meet('u1', address)).toEqual({ certificate: 'new', alarm: null });
  expect(await meet('u1', address)).toEqual({ certificate: 'known', alarm: null });
});

test("the machine's own authority vouches for it under every address", async () => {
  const meet = visitor();
  const address = await serve((await issue('desk', [])).machine);
  expect(await meet('u1', address)).toEqual({ certificate: 'new', alarm: null });
});

test('another machine with a certificate of the same company authority is not accepted in its place', async () => {
  const meet = visitor();
  const make = (authority: KeyPair | null, names: string[], addresses: string[]) =>
    issueHere({
      ...{ authority, authorityName: 'Company authority', permittedDomains: ['local'], machineName: names[0] ?? '' },
      ...{ names, addresses, now: Date.now() },
    });
  const desk = await make(null, ['desk.local'], ['127.0.0.1']);
  expect(await meet('u1', await serve(desk.machine))).toEqual({ certificate: 'new', alarm: null });
  const other = await make(desk.authority, ['other.local'], []);
  expect(await meet('u1', await serve(other.machine))).toMatchObject({
    certificate: 'unproven',
    alarm: expect.stringContaining('CANNOT BE AUTHENTICATED'),
  });
});

test('a certificate without the key of its authority is not accepted', async () => {
  const meet = visitor();
  const real = await issue('desk');
  const forged = await issue('desk');
  const [ownCertificate = ''] = forged.machine.certificate.split(/(?<=-----END CERTIFICATE-----\n)/);
  const impostor = { certificate: ownCertificate + real.authority.certificate, key: forged.machine.key };
  await meet('u1', await serve(real.machine));
  const { certificate, alarm } = await meet('u1', await serve(impostor));
  expect(certificate).toBe('unproven');
  expect(alarm).toContain('CANNOT BE AUTHENTICATED');
});

test('one known machine in the place of another is not accepted, and does not replace it', async () => {
  const meet = visitor();
  const [desk, toy] = [await issue('desk'), await issue('toy')];
  const place = await serve(desk.machine);
  await meet('u1', place);
  await meet('u2', await serve(toy.machine));
  const server = servers.shift();
  server?.close();
  if (server !== undefined) await once(server, 'close');
  const intruder = tls.createServer({ cert: toy.machine.certificate, key: toy.machine.key });
  intruder.listen(Number(new URL(place).port), '127.0.0.1');
  await once(intruder, 'listening');
  servers.push(intruder);
  for (const _time of [1, 2]) expect(await meet('u2', place)).toMatchObject({ certificate: 'changed' });
});

test('an announcement with another name for a known address does not remove the warning', async () => {
  const meet = visitor();
  const place = await serve((await issue('desk')).machine);
  await meet('u1', place);
  expect(await meet('claimed', place)).toMatchObject({ certificate: 'known' });
  const impostor = await serve((await issue('desk')).machine);
  expect(await meet('u1', impostor)).toMatchObject({ certificate: 'changed' });
});

test('a pin is required of a machine that the system trusts', async () => {
  const { authority, machine } = await issue('desk');
  const place = await serve(machine);
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-pin-'));
  const file = path.join(directory, 'authority.crt');
  fs.writeFileSync(file, authority.certificate);
  const script = `
    import { pinTo, readPeerAuthority } from ${JSON.stringify(import.meta.resolve('@hostler/client/pin.ts'))};
    import { fakeHost, memoryStorage } from ${JSON.stringify(import.meta.resolve('../../../test/doubles/fake-host.ts'))};
    import { checkServices } from ${JSON.stringify(import.meta.resolve('./discover.trust.ts'))};
    const url = ${JSON.stringify(place)};
    const { isTrusted } = await readPeerAuthority(url, 5000);
    const pinned = (known) => pinTo({ read: () => known, write() {} })(url, 5000).then(String, ({ code }) => code);
    const check = async (fingerprint) => {
      const known = [{ uuid: 'u1', address: url, fingerprint, certificate: 'x', announced: false }];
      const files = fingerprint === null ? {} : { '/state/known-machines.json': JSON.stringify(known) };
      const host = fakeHost({ storage: memoryStorage(files), paths: { state: '/state' } });
      const service = { name: 'desk', host: 'desk.local', uuid: 'u1', tls_address: url, address: '', version: '6', types: [] };
      return (await checkServices({ host, complain() {} }, [service]))[0].certificate;
    };
    const found = [isTrusted, await pinned(null), await pinned('another'), await check(null), await check('AB:CD')];
    console.log(JSON.stringify(found));
    process.exit();`;
  try {
    const child = Bun.spawn([process.execPath, '-e', script], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
      stderr: 'inherit',
    });
    expect(await new Response(child.stdout).text()).toBe('[true,"null","CERTIFICATE_CHANGED","trusted","changed"]\n');
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test('a machine that no longer offers TLS has to be forgotten explicitly', async () => {
  const meet = visitor();
  const address = await serve((await issue('desk')).machine);
  await meet('u1', address);
  const { certificate, alarm } = await meet('u1', '');
  expect(certificate).toBe('unproven');
  expect(alarm).toContain(`hostler tls forget ${address.slice('https://'.length)}`);
  expect(await meet('u9', '')).toEqual({ certificate: null, alarm: null });
});

test('an announced address is one quoted word of a suggested command', () => {
  const address = 'https://10.0.0.1/ && reboot #:9171';
  const service = { name: 'desk', host: '', uuid: 'u1', tls_address: address, address: '', version: '6', types: [] };
  const warningOf = (certificate: 'changed' | 'unproven') =>
    certificateWarnings([{ ...service, fingerprint: 'AA', remembered_address: address, certificate }], 'hostler');
  expect(warningOf('changed')).toContain(`"hostler tls trust '10.0.0.1/ && reboot #:9171'"`);
  expect(warningOf('unproven')).toContain(`"hostler tls forget '10.0.0.1/ && reboot #:9171'"`);
});

test('an announced name cannot add lines to the warning', () => {
  const service = {
    name: 'desk\n\nAll is well',
    host: 'desk.local',
    uuid: 'u1',
    tls_address: 'https://10.0.0.1\n:9171',
    address: '',
    version: '6',
    types: [],
    fingerprint: 'AA',
    remembered_address: 'https://10.0.0.1\n:9171',
  };
  for (const certificate of ['changed', 'unproven'] as const) {
    const alarm = certificateWarnings([{ ...service, certificate }], 'hostler');
    expect(alarm).toContain('“desk All is well”');
    expect(alarm).not.toContain('\n');
  }
});
