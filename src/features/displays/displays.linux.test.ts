import { expect, test } from 'bun:test';
import type { RandrMonitor } from '@hostler/x11/randr.ts';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { fakeMonitorBus } from '../../../test/doubles/fake-monitor-bus.ts';
import { fakeSession } from '../../../test/doubles/fake-players.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import type { FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import { displaysLinux, withDrm } from './displays.linux.ts';
import { displays } from './displays.ts';
import { waylandDisplay as fromWayland } from './linux/displays.wayland.ts';
import { x11Display as fromX11 } from './linux/displays.x11.ts';
import { monitors } from './linux/monitors.part.ts';
import { createMonitors } from './linux/monitors.ts';

const { session } = fakeSession();

testEachMachine('linux', import.meta.dirname, displays.module, displaysLinux, () => ({ session }));

test('a display server that does not answer is reported, and the kernel is read instead', async () => {
  const found: FoundSession = { variables: {}, wayland: '/run/user/1/wayland-0', x11: null };
  const host = fakeHost({
    session: { ...session, find: async () => found },
    files: machineFiles({
      '/sys/class/drm/card0/dev': '226:0\n',
      '/sys/class/drm/card0-DP-1/status': 'connected\n',
      '/sys/class/drm/card0-DP-1/modes': '800x600\n',
    }),
    connectLocal: async () => {
      throw new Error('connection refused');
    },
  });
  setPart(host, monitors, monitors.absent);
  const { reasons, collected } = collectReasons();
  const payload = await displaysLinux(host, fakeContext()).read(reasons);
  expect(payload).toMatchObject([{ id: 'DP-1', resolution_horizontal: 800 }]);
  expect(collected[0]).toMatchObject({ field: null, mendable: true, reason: expect.stringContaining('refused') });
});

const edid = Uint8Array.from({ length: 128 }, (_, index) => index);

function withMonitor(denied = false) {
  const files = machineFiles({
    '/sys/class/drm/card0/dev': '226:0\n',
    '/sys/class/drm/card0-DP-1/status': 'connected\n',
    '/sys/class/drm/card0-DP-1/edid': edid,
    '/sys/class/drm/card0-DP-1/ddc': '-> ../../../i2c-5',
    '/dev/i2c-5': '',
  });
  const bus = fakeMonitorBus();
  const host = fakeHost({
    session: { ...session, find: async () => ({ variables: {}, wayland: null, x11: null }) },
    files: denied ? { ...files, denied: () => true } : files,
  });
  const { startThread } = bus;
  const created = createMonitors({ files: host.files, place: (file) => file, clock: host.clock, startThread });
  setPart(host, monitors, created);
  return { source: displaysLinux(host, fakeContext()), bus };
}

test('an external monitor fills in what the kernel does not know', async () => {
  const { reasons, collected } = collectReasons();
  expect(await withMonitor().source.read(reasons)).toMatchObject([
    {
      id: 'DP-1',
      brightness: 50,
      contrast: 70,
      input_source: 'HDMI-1',
      inputs: ['DisplayPort-1', 'HDMI-1', 'HDMI-2', 'Input-27'],
      power: 'on',
    },
  ]);
  expect(collected.filter(({ field }) => field === '[].brightness')).toEqual([]);
});

test('a monitor without permission has a reason with the udev rule, and is not queried', async () => {
  const { source, bus } = withMonitor(true);
  const { reasons, collected } = collectReasons();
  expect(await source.read(reasons)).toMatchObject([{ id: 'DP-1', brightness: null, inputs: null }]);
  for (const field of ['brightness', 'contrast', 'input_source', 'inputs'])
    expect(collected.find((each) => each.field === `[].${field}`)).toMatchObject({
      mendable: true,
      reason: expect.stringMatching(/may not use \/dev\/i2c-5.*60-hostler\.rules/),
    });
  expect(bus.threads.started).toBe(0);
});

const monitor: RandrMonitor = {
  name: 'DP-2',
  isPrimary: true,
  x: -1920,
  y: 0,
  width: 1920,
  height: 1200,
  mmWidth: 0,
  mmHeight: 0,
  mode: { dotClock: 154_000_000, refresh: 59.950_171 },
  edid: null,
};

test('zero from X11 means unknown', () => {
  expect(fromX11(monitor)).toMatchObject({
    x: -1920,
    width: null,
    height: null,
    pixel_clock: 154,
    refresh_rate: 59.95,
  });
  expect(fromX11({ ...monitor, mode: { dotClock: 0, refresh: 0 } })).toMatchObject({
    pixel_clock: null,
    refresh_rate: null,
  });
  expect(fromX11({ ...monitor, mode: null })).toMatchObject({ pixel_clock: null, refresh_rate: null });
});

const output = {
  name: 'DP-1',
  description: 'Some display (DP-1)',
  make: 'Dell Inc.',
  model: 'DELL U2412M',
  width: 1920,
  height: 1080,
  isTurned: false,
  refresh: 60,
  x: 0,
  y: 0,
  logicalWidth: 1920,
  logicalHeight: 1080,
  mmWidth: 527,
  mmHeight: 296,
  power: null,
  isFixed: false,
};

test('displays of Wayland have the name of their maker and model, else the name of the compositor', () => {
  expect(fromWayland(output, 0, true).name).toBe('Dell Inc. DELL U2412M');
  expect(fromWayland({ ...output, make: 'Unknown', model: 'unknown' }, 0, true).name).toBe('Some display (DP-1)');
  expect(fromWayland({ ...output, make: ' ', model: ' ', description: ' ' }, 0, true).name).toBe('DP-1');
  const nameless = { ...output, name: null, make: '', model: '', description: null };
  expect(fromWayland(nameless, 3, null)).toMatchObject({ id: 'wayland-3', name: 'wayland-3' });
});

test('width and height are swapped for a rotated display', () => {
  expect(fromWayland({ ...output, isTurned: true }, 0, null)).toMatchObject({
    resolution_horizontal: 1080,
    resolution_vertical: 1920,
  });
});

test('the pixel clock comes from the EDID in the preferred mode', () => {
  const edid = {
    name: 'x',
    mmWidth: 500,
    mmHeight: 300,
    preferred: { width: 1920, height: 1080, pixelClock: 148.5, refresh: 60 },
  };
  const known = [{ name: 'DP-1', edid, mode: null, power: null }];
  const clock = (given: Partial<typeof output>) =>
    withDrm([fromWayland({ ...output, ...given }, 0, null)], known)[0]?.pixel_clock;
  expect(clock({})).toBe(148.5);
  expect(clock({ refresh: 144 })).toBeNull();
  expect(clock({ width: 1280 })).toBeNull();
  expect(clock({ name: 'DP-9' })).toBeNull();
  expect(withDrm([fromWayland({ ...output, mmWidth: 0 }, 0, null)], known)[0]?.width).toBe(500);
});

test('the empty payload matches the schema', async () => {
  expect((await displays.module.schema()).parse(displays.module.empty)).toEqual([]);
});
