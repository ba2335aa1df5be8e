import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { createPrivateNetwork, hasNetworks } from '../harness/network.ts';
import { needs } from '../harness/parts.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

const python = '/usr/bin/python3';
/** Prints what it receives at the port for such packets, with the address of the sender. */
const receiver = `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('', 9))
print('ready', flush=True)
while True:
    data, (address, port) = s.recvfrom(2048)
    print(address, data.hex(), flush=True)
`;
const mac = '52:54:00:ab:cd:02';
const packet = `ffffffffffff${'525400abcd02'.repeat(16)}`;

describe.skipIf(!hasNetworks() || !needs(python))('a real service in a network with another machine', () => {
  test('the other machine receives the magic packet, and a broadcast address outside the local networks is refused', async () => {
    const [ours, theirs] = [createPrivateNetwork('wake-a'), createPrivateNetwork('wake-b')];
    try {
      const other = theirs.within.at(-1) ?? '';
      ours.ip(`link add lan0 type veth peer name lan0 netns ${other}`);
      for (const [network, address] of [
        [ours, '192.0.2.1/28'],
        [theirs, '192.0.2.2/28'],
      ] as const) {
        network.ip('link set lan0 up');
        network.ip(`addr add ${address} brd + dev lan0`);
      }
      const [program = '', ...before] = [...theirs.within, python, '-u', '-c', receiver];
      const child = spawn(program, before, { stdio: ['ignore', 'pipe', 'inherit'] });
      let received = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      try {
        await until(() => received.includes('ready\n') || null);
        await using hostler = await startHostler({ through: [...ours.within], env: { DISPLAY: '' } });
        const wake = (...args: string[]) => runHostler(['wake', ...args], { directory: hostler.directory });
        for (const args of [[mac], [mac, '--broadcast', '255.255.255.255'], [mac, '--broadcast', '192.0.2.15']]) {
          received = '';
          const { code, stdout } = await wake(...args, '--json');
          expect(code).toBe(0);
          expect(JSON.parse(stdout).data.sent).toMatchObject([{ interface: 'lan0' }]);
          await until(() => received.includes(`192.0.2.1 ${packet}\n`) || null);
        }
        const otherClient = await wake(mac, '--broadcast', '203.0.113.255');
        expect([otherClient.code, otherClient.stderr]).toEqual([2, expect.stringContaining('possible: 192.0.2.15')]);
        const nonsense = await wake('not-a-mac');
        expect(nonsense.code).toBe(2);
        expect(nonsense.stderr).toContain('aa:bb:cc:dd:ee:ff');
      } finally {
        child.kill('SIGKILL');
      }
    } finally {
      ours.remove();
      theirs.remove();
    }
  });
});
