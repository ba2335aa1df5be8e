import { afterEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { issue } from '../../access/tls/certificates.issue.ts';
import { openKnownMachines } from '../../access/tls/known-machines.ts';
import type { Paths } from '../../host/paths.ts';
import type { CliContext } from '../context.ts';
import { trust } from './tls.ts';

const servers: tls.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(): Promise<string> {
  const { machine } = await issue({
    authority: null,
    authorityName: 'Hostler authority of desk',
    permittedDomains: ['local'],
    machineName: 'desk',
    names: ['desk.local'],
    addresses: ['127.0.0.1'],
    now: Date.now(),
  });
  const server = tls.createServer({ cert: machine.certificate, key: machine.key }, (socket) =>
    socket.on('error', () => {}),
  );
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `typed`: the answer at the terminal; null: there is none. */
function setUp() {
  const host = fakeHost({ storage: memoryStorage(), paths: { state: '/state' } as Paths });
  const printed: string[] = [];
  const questions: string[] = [];
  return {
    printed,
    questions,
    known: (address: string) =>
      openKnownMachines(host).find({ uuid: '', address: `https://${address}` })?.fingerprint ?? null,
    trust: async (address: string, typed: string | null, fingerprint?: string) => {
      const line = (question: string) => {
        questions.push(question);
        return typed ?? '';
      };
      const context = {
        host,
        command: 'hostler',
        print: (text: string) => void printed.push(text),
        prompt: async () => ({ interactive: typed !== null, line, secret: line }),
      } as unknown as CliContext;
      await trust(context, address, fingerprint === undefined ? {} : { fingerprint });
    },
  };
}

const shown = /^Fingerprint (\S+)$/m;

test('a machine is trusted only after its fingerprint, which is shown, was confirmed', async () => {
  const { trust, known, questions, printed } = setUp();
  const address = await serve();
  for (const typed of ['no', '', 'yesterday']) {
    await expect(trust(address, typed)).rejects.toThrow('nothing was changed');
    expect(known(address)).toBeNull();
  }
  await trust(address, 'yes');
  const fingerprint = shown.exec(questions.at(-1) ?? '')?.[1];
  expect(fingerprint).toHaveLength(95);
  expect(questions.at(-1)).toContain('Does "hostler tls fingerprint" on 127.0.0.1 print the same?');
  expect([known(address), printed]).toEqual([fingerprint ?? '', [`Trusting    ${fingerprint}`]]);
});

test('without a terminal the fingerprint has to be given, in any notation', async () => {
  const { trust, known, questions } = setUp();
  const address = await serve();
  await expect(trust(address, null)).rejects.toThrow('give --fingerprint');
  await expect(trust(address, 'no')).rejects.toThrow();
  const fingerprint = shown.exec(questions.pop() ?? '')?.[1] ?? '';
  await expect(
    trust(
      address,
      null,
      fingerprint.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
  ).rejects.toThrow(`has another fingerprint, so nothing was changed: ${fingerprint}`);
  expect(known(address)).toBeNull();
  await trust(address, null, fingerprint.replaceAll(':', '').toLowerCase());
  expect([known(address), questions]).toEqual([fingerprint, []]);
});
