import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { createStore, type Store } from '../../../src/core/store.ts';
import { mediaControl } from '../../../src/features/media/media.actions.ts';
import type { Media } from '../../../src/features/media/media.schema.ts';
import { media } from '../../../src/features/media/media.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeActionContext, fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { chromiumArguments } from '../harness/chromium.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { createPrivatePlayers, type PrivatePlayers } from '../harness/players.ts';
import { hostIn } from '../harness/session-host.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(120_000);

const parts = ['chromium', 'Xvfb', 'dbus-daemon', 'playerctl', 'sox', 'flac'];

describe.skipIf(!needs(...parts))('media with Chromium as the player', () => {
  let players: PrivatePlayers;
  let x11: PrivateX11;
  let host: LinuxHost;
  let store: Store;
  let browser: BrowserContext;
  const pushed: Media[] = [];

  beforeAll(async () => {
    players = createPrivatePlayers();
    x11 = createPrivateX11('Xvfb');
    await Promise.all([players.bus.start(), x11.start()]);
    host = hostIn({ DBUS_SESSION_BUS_ADDRESS: players.bus.address });
    store = createStore({ modules: [media.module], host, context: fakeContext() });
    store.listen('media', ({ payload }) => pushed.push(payload as Media));
    browser = await chromium.launchPersistentContext(path.join(players.directory, 'profile'), {
      executablePath: findProgram('chromium') ?? '',
      headless: false,
      args: [...chromiumArguments, '--autoplay-policy=no-user-gesture-required'],
      env: { ...players.variables, DISPLAY: x11.display() },
    });
  });
  afterAll(async () => {
    await browser?.close();
    store.close();
    await host.close();
    await x11.remove();
    await players.remove();
  });

  const has = (what: string, condition: (payload: Media) => boolean) =>
    until(() => pushed.length > 0 && condition(pushed.at(-1) as Media), what, 60_000);

  test('a page that plays is listed with its title and picture, and can be controlled', async () => {
    const sound = fs.readFileSync(players.titles[0]).toString('base64');
    const page = await browser.newPage();
    await page.setContent(pageThatPlays(`data:audio/flac;base64,${sound}`));
    await has(
      'the title is there',
      ({ title, status }) => title === 'Title of the page \u202e"' && status === 'PLAYING',
    );
    const name = pushed.at(-1)?.players[0]?.name ?? '';
    expect(players.playerctl('-l')).toContain(name);
    expect(pushed.at(-1)).toMatchObject({ artist: 'Page', album_title: 'Pages', is_next_enabled: true });
    await has('the picture is there', ({ thumbnail }) => thumbnail?.startsWith('data:image/png;base64,') === true);
    const { context } = fakeActionContext(host);
    const control = (action: string, value?: number) =>
      mediaControl.run({ action, value, player: 'chromium' }, context);
    await control('NEXT');
    await until(async () => (await page.evaluate('skipped')) === 1, 'the page skips');
    await control('PAUSE');
    await has('it pauses', ({ status }) => status === 'PAUSED');
    expect(await page.evaluate('player.paused')).toBe(true);
    // It offers a volume property that cannot be set.
    await expect(control('VOLUME', 30)).rejects.toMatchObject({ code: 'unsupported' });
    await expect(control('PREVIOUS')).rejects.toMatchObject({ code: 'unsupported' });
    await page.close();
    await has('it is gone with its page', ({ players: list }) => list.every(({ status }) => status !== 'PLAYING'));
  });
});

function pageThatPlays(sound: string): string {
  const square =
    '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128"><rect width="99" height="99"/></svg>';
  const artwork = `data:image/svg+xml,${encodeURIComponent(square)}`;
  return `<audio id="player" loop autoplay src="${sound}"></audio><script>
    navigator.mediaSession.metadata = new MediaMetadata({
      title: 'Title of the page \\u202e"',
      artist: 'Page',
      album: 'Pages',
      artwork: [{ src: "${artwork}", sizes: '128x128', type: 'image/svg+xml' }],
    });
    var skipped = 0;
    navigator.mediaSession.setActionHandler('nexttrack', () => { skipped += 1; });
  </script>`;
}
