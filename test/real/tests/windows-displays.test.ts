// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import { needs } from '../harness/parts.ts';
import { postJson } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { wineLibrary } from '../harness/wine-standin.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needs('Xvfb') || !needsWine())(
  'displays of the Windows build, against a stand-in for monitors',
  () => {
    let x11: PrivateX11;
    let hostler: WineHostler;

    beforeAll(async () => {
      x11 = createPrivateX11('Xvfb');
      await x11.start();
      const library = wineLibrary('fake-monitors', 'dxva2.dll');
      hostler = await startWineHostler({
        mounts: [...(library.mounts ?? []), ...x11Mounts],
        environment: { ...library.environment, DISPLAY: x11.display() },
      });
    });
    afterAll(async () => {
      await hostler?.stop();
      await x11?.remove();
    });

    const displays = async () => (await (await hostler.get('/api/data/displays')).json()) as Displays;
    const dim = (input: object) => postJson(hostler, '/api/display/brightness', input);

    test('report their brightness as a share of their range', async () => {
      expect((await displays()).map(({ brightness }) => brightness)).toEqual([50]);
    });

    test('are dimmed', async () => {
      expect((await dim({ percent: 30 })).status).toBe(200);
      expect(fs.readFileSync(hostler.drive('brightness.txt'), 'utf8').trim()).toBe('50');
      const [first] = await displays();
      expect((await dim({ percent: 100, display: first?.id })).status).toBe(200);
      expect(fs.readFileSync(hostler.drive('brightness.txt'), 'utf8').trim()).toBe('120');
      expect((await dim({ percent: 10, display: 'none' })).status).toBe(404);
    });
  },
);
