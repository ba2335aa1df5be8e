// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createPairOfNetworks, hasNetworks, type PrivateNetwork } from '../harness/network.ts';
import { askToPair, junkAt, tokensOf } from '../harness/pairing-junk.ts';
import { needs } from '../harness/parts.ts';
import { type PrivateDunst, startPrivateDunst } from '../harness/private-dunst.ts';
import { type RunningHostler, runHostler, startHostler } from '../harness/service.ts';

setDefaultTimeout(180_000);

describe.skipIf(!hasNetworks() || !needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl', 'setpriv'))(
  'pairing on a private network',
  () => {
    let dunst: PrivateDunst;
    let here: PrivateNetwork;
    let there: PrivateNetwork;
    let remote: RunningHostler;
    beforeAll(async () => {
      dunst = await startPrivateDunst();
      ({ here, there } = createPairOfNetworks());
      remote = await startHostler({ env: { ...dunst.variables, SERVICE_HOST: '' }, through: [...here.within] });
    });
    afterAll(async () => {
      await remote?.stop();
      here?.remove();
      there?.remove();
      await dunst?.remove();
    });
    const prompts = () => dunst.history().filter(({ appname }) => appname === 'Hostler permission');

    test('a client with two hundred addresses causes only a few prompts, and gets no access', async () => {
      const before = prompts().length;
      there.batch(Array.from({ length: 200 }, (_, at) => `addr add 10.77.1.${at + 1}/16 dev pair1`));
      const [program = '', ...args] = [
        ...there.within,
        'setpriv',
        '--reuid=65534',
        '--regid=65534',
        '--clear-groups',
        '/usr/bin/env',
        'python3',
        '-c',
        manyAddresses,
        String(remote.port),
      ];
      const flood = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      flood.stdout.on('data', (chunk) => {
        said += chunk;
      });
      const ended = new Promise((resolve) => flood.once('close', resolve));
      // The user denies all of them.
      for (let open = true; open; ) {
        open = await Promise.race([ended.then(() => false), Bun.sleep(300).then(() => true)]);
        if (dunst.shown() > 0) await dunst.press('Deny');
      }
      const { asked, seconds, ...others } = JSON.parse(said) as { asked: number; seconds: number };
      // Two are free; then 30, 60, 120 s …
      expect(asked).toBeLessThanOrEqual(3 + Math.floor(Math.log2(seconds / 30 + 1)));
      expect(prompts().length - before).toBeLessThanOrEqual(asked);
      expect(Object.keys(others).filter((status) => !['409', '429'].includes(status))).toEqual([]);
      expect(await tokensOf(remote)).toHaveLength(1);
    });
  },
);

/** Five rounds of requests from each address, with pauses; prints the count of each status. */
const manyAddresses = `
import base64, http.client, json, os, sys, time
counts, begun = {}, time.time()
for turn in range(5):
    for last in range(1, 201):
        secret = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip('=')
        link = http.client.HTTPConnection('10.77.0.1', int(sys.argv[1]), source_address=('10.77.1.%d' % last, 0))
        body = json.dumps({'name': 'friend', 'browser': {}, 'clear': {'secret': secret}})
        link.request('POST', '/api/pair', body, {'Content-Type': 'application/json'})
        status = link.getresponse().status
        name = 'asked' if status == 200 else str(status)
        counts[name] = counts.get(name, 0) + 1
        link.close()
    time.sleep(2)
print(json.dumps({**counts, 'seconds': time.time() - begun}))
`;

describe('unauthenticated clients', () => {
  const residentBytes = (pid: number) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

  test('that send junk to the routes for twenty seconds leave the service healthy and small, and pairing available', async () => {
    await using hostler = await startHostler();
    expect((await hostler.get('/api/health', {})).status).toBe(200);
    await runHostler(['pair', '--json'], { directory: hostler.directory });
    const { sent, most, statuses } = await junkAt(hostler, 20_000, () => residentBytes(hostler.pid));
    expect(sent).toBeGreaterThan(200);
    // A bug in the service would be 500.
    expect(Object.keys(statuses).filter((status) => Number(status) >= 500 && status !== '501')).toEqual([]);
    expect(most).toBeLessThan(150 * 1024 * 1024);
    expect(hostler.output()).not.toContain('unexpected error');
    // The next one is accepted, or waits for the prompt of the junk, or for the pause after it.
    const next = await askToPair(hostler.base);
    expect([200, 409, 429]).toContain(next.status);
  });
});
