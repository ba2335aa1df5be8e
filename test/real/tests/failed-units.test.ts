import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../harness/until.ts';
import { bootBox, canBoot, type PrivateBox } from '../harness/box.ts';
import { succeed } from '../harness/boxed-service.ts';
import { root } from '../harness/service.ts';

setDefaultTimeout(420_000);

describe.skipIf(!canBoot())('a real systemd', () => {
  let box: PrivateBox;
  beforeAll(async () => {
    box = await bootBox({ binds: [[root, '/opt/source']] });
  });
  afterAll(async () => await box?.remove());

  const read = async () => {
    const [program, file] = ['node_modules/bun/bin/bun.exe', 'test/real/harness/failed-units-reader.ts'];
    const args = [`/opt/source/${program}`, '--no-env-file', '--config=/dev/null', `/opt/source/${file}`];
    const { stdout, stderr } = await box.run(args, { env: { HOME: '/root', PATH: '/usr/bin:/bin' } });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as { units: string[] | null; reasons: string[] };
  };

  test('reports which unit failed, until the failure is reset', async () => {
    await box.run(['systemd-run', '--quiet', '--unit=hostler-breaks', '/bin/false']);
    await until(async () => (await read()).units?.includes('hostler-breaks.service') === true, 'it has failed');
    await succeed(box, ['systemctl', 'reset-failed', 'hostler-breaks.service']);
    const { units, reasons } = await read();
    expect(units).toEqual(expect.any(Array));
    expect(units).not.toContain('hostler-breaks.service');
    // Root has no session here, and so no user manager.
    expect(reasons).toEqual([expect.stringContaining('The failed units of the user are unknown')]);
  });
});
