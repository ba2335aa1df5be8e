// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import type { Updates } from '../../../src/features/updates/updates.schema.ts';
import { until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineStandin } from '../harness/wine-standin.ts';

setDefaultTimeout(180_000);

const UpdateSession = '4cb43d7f-7eee-4906-8698-60da1c38f2fe';

describe.skipIf(!needsWine())('updates of the Windows build, against a stand-in for Windows Update', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    hostler = await startWineHostler(wineStandin('fake-updates', [{ com: UpdateSession }], ['oleaut32']));
  });
  afterAll(() => hostler.stop());

  const updates = async () => (await (await hostler.get('/api/data/updates')).json()) as Updates;
  const asked = () => fs.readFileSync(hostler.drive('standins/updates.txt'), 'utf8');

  test('match Windows Update, and no server is queried for them', async () => {
    const found = await until(async () => {
      const payload = await updates();
      return payload.updates === null ? null : payload;
    });
    expect(found).toMatchObject({ updates: 3, security_updates: 1, reboot: { required: false } });
    expect(found.managers[0]?.packages.map(({ name, security }) => [name, security])).toEqual([
      ['Security Update (KB2)', true],
      ['Update for é (KB1)', false],
      ['Driver', false],
    ]);
    expect(asked()).toContain('searches 1 online 0');
    expect(asked()).toContain('IsInstalled=0 and IsHidden=0');
  });

  test('are searched again when Windows waits for a restart, which is reported with its reason', async () => {
    const key =
      'HKLM\\\\SOFTWARE\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\WindowsUpdate\\\\Auto\\ Update\\\\RebootRequired';
    await hostler.beside(`wine reg add ${key} /f`);
    const { reboot } = await until(async () => {
      const payload = await updates();
      return payload.reboot.required === true ? payload : null;
    });
    expect(reboot.reasons).toEqual(['Windows Update waits for it']);
    // All objects of the first search were released before the second: the class, the session and the searcher are in use.
    expect(asked()).toMatch(/searches 2 online 0 live [1-4] /);
  });
});
