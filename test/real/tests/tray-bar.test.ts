import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Bus } from '@hostler/dbus/dbus.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { createRecorder, type Recorder } from '../harness/desktop.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { panelOf, watcherName } from '../harness/tray-panel.ts';
import { createPrivateWaybar, differenceOf, type PrivateWaybar } from '../harness/waybar.ts';

setDefaultTimeout(180_000);

/** waybar, which registers icons and shows them, under sway without a screen; clicked by a virtual mouse. */
describe.skipIf(!needs('dbus-daemon', 'sway', 'waybar', 'grim', 'xdg-open'))('the icon in a real panel', () => {
  let bar: PrivateWaybar;
  let hostler: RunningHostler;
  let session: Bus;
  let recorder: Recorder;
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-tray-'));

  beforeAll(async () => {
    bar = await createPrivateWaybar();
    await bar.start();
    recorder = createRecorder(home);
    session = connectBuses({ variable: (name) => bar.variables[name] ?? null }).session;
    hostler = await startHostler({
      env: { ...bar.variables, ...recorder.variables },
      prepare(directory) {
        fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
        fs.writeFileSync(path.join(directory, 'config', 'settings.json'), '{"systemTray":true}');
      },
    });
  });
  afterAll(async () => {
    session?.close();
    await hostler?.stop();
    await bar?.remove();
    fs.rmSync(home, { recursive: true, force: true });
  });

  const registered = async () => {
    const [items] = await session.call({
      destination: watcherName,
      path: '/StatusNotifierWatcher',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [watcherName, 'RegisteredStatusNotifierItems'],
    });
    return (items as string[]).map((item) => item.split('/')[0] ?? '');
  };
  const theOne = () =>
    until(async () => ((await registered().catch(() => [])).length === 1 ? await registered() : null));
  const panel = async () => {
    const [owner = ''] = await theOne();
    return panelOf(session, () => owner);
  };
  /** The share of each colour at the icon. */
  const colours = () => {
    const picture = bar.picture();
    const count = new Map<number, number>();
    for (let y = bar.icon.y - 10; y < bar.icon.y + 10; y++)
      for (let x = bar.icon.x - 10; x < bar.icon.x + 9; x++)
        count.set(picture.at(x, y), (count.get(picture.at(x, y)) ?? 0) + 1);
    return count;
  };
  const shows = (colour: number) => until(() => ((colours().get(colour) ?? 0) > 20 ? true : null));
  const [green, grey] = [0x1f6f5c, 0x6b7076];
  /** Opens the menu with the right button; returns its position on the screen. */
  const openMenu = async () => {
    // The pointer is in the picture as well: it stays where it is meanwhile.
    await bar.pointer.moveTo(bar.icon.x, bar.icon.y);
    const before = await still();
    await bar.pointer.click('right');
    return await until(async () => {
      const change = differenceOf(before, await still());
      return change !== null && change.bottom - change.top > 100 ? change : null;
    });
  };
  /** Nothing moves any more. */
  const still = async () => {
    let last = bar.picture();
    return await until(async () => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const next = bar.picture();
      const isStill = differenceOf(last, next) === null;
      last = next;
      return isStill ? next : null;
    });
  };
  const paused = async () => ((await (await hostler.get('/api/control')).json()) as { paused: boolean }).paused;

  test('the icon is shown with its usual picture', async () => {
    await theOne();
    await shows(green);
  });

  test('a left click opens the dashboard, signed in; the code is in no log', async () => {
    await bar.pointer.moveTo(bar.icon.x, bar.icon.y);
    await bar.pointer.click('left');
    const [page = ''] = await until(() => (recorder.opened().length > 0 ? recorder.opened() : null));
    const code = /name="code" value="([^"]+)"/.exec(fs.readFileSync(page, 'utf8'))?.[1] ?? '';
    expect(code).toMatch(/\w{4,}/);
    expect(hostler.output()).toContain('tray: open was chosen');
    expect(hostler.output()).not.toContain(code);
  });

  test('a right click opens the menu, and a click chooses its first entry', async () => {
    const before = recorder.opened().length;
    const menu = await openMenu();
    await bar.pointer.moveTo(menu.right - 60, menu.top + 20);
    await bar.pointer.click('left');
    await until(() => (recorder.opened().length > before ? true : null));
  });

  test('pausing by the menu, over D-Bus as a panel does, makes the icon grey, and resuming green again', async () => {
    const used = await panel();
    const hour = (await used.open()).find(({ label }) => label === 'Pause control for an hour');
    await used.press(hour?.number ?? -1);
    await until(async () => ((await paused()) ? true : null));
    await bar.pointer.moveTo(200, 600);
    await shows(grey);
    const resume = await until(async () => (await used.find('Resume control')) ?? null);
    await used.open();
    await used.press(resume.number);
    await until(async () => ((await paused()) ? null : true));
    await shows(green);
  });

  test('the address is copied to the clipboard of the compositor', async () => {
    const used = await panel();
    const copy = (await used.open()).find(({ label }) => label === 'Copy address');
    await used.press(copy?.number ?? -1);
    const content = async () => {
      const { stdout } = await runHostler(['clipboard', 'get'], { directory: hostler.directory });
      return stdout.trim();
    };
    expect(await until(async () => (await content()) || null)).toBe(hostler.base);
  });

  test('a panel that was killed shows the icon again when it is back', async () => {
    const [owner] = await theOne();
    await bar.kill();
    await until(async () => ((await registered().catch(() => null)) === null ? true : null));
    await bar.start();
    expect(await theOne()).toEqual([owner ?? '']);
    await shows(green);
  });

  test('the last entry, chosen by the mouse, ends the service and removes the icon', async () => {
    const menu = await openMenu();
    await bar.pointer.moveTo(menu.right - 60, menu.bottom - 20);
    await bar.pointer.click('left');
    await until(async () => ((await registered()).length === 0 ? true : null));
    expect(await hostler.stop()).toBe(0);
    expect(hostler.output()).toContain('tray: quit was chosen');
  });
});
