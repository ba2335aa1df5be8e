import { describe, expect, test } from 'bun:test';
import { fakeContext, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { type FakeUnit, fakeSystemd } from '../../../test/doubles/fake-systemd.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons, readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import { defaultSettings } from '../index.ts';
import { servicesLinux } from './services.linux.ts';
import { services } from './services.ts';

const at = (seconds: number) => seconds * 1e6;
const running = (group: string, properties: Record<string, unknown> = {}): FakeUnit => ({
  properties: { ActiveEnterTimestamp: at(1000.5), MainPID: 7, NRestarts: 0, ControlGroup: group, ...properties },
});
const stopped: FakeUnit = {
  active: 'inactive',
  sub: 'dead',
  properties: { InactiveEnterTimestamp: 0, MainPID: 0, NRestarts: 0 },
};

testEachMachine('linux', import.meta.dirname, services.module, servicesLinux, (machine) =>
  machine === 'systemd-server'
    ? {
        dbus: {
          system: fakeSystemd({
            'nginx.service': { ...running('/system.slice/nginx.service'), description: 'Web server' },
            'backup.service': {
              active: 'failed',
              sub: 'failed',
              properties: { InactiveEnterTimestamp: at(2000), MainPID: 0, NRestarts: 5 },
            },
            'var.mount': { active: 'failed', sub: 'failed', properties: { InactiveEnterTimestamp: at(10) } },
            'boot.mount': { active: 'active', sub: 'mounted' },
            'getty@tty1.service': running('/system.slice/system-getty.slice/getty@tty1.service'),
            'forbidden.service': { ...stopped, load: 'masked' },
            'mentioned.service': { ...stopped, load: 'not-found' },
          }),
          session: noBus,
        },
      }
    : {},
);

describe('while the units are followed', () => {
  const files = () =>
    machineFiles({
      '/sys/fs/cgroup/cgroup.controllers': 'cpu memory\n',
      '/sys/fs/cgroup/a/memory.current': '4096\n',
      '/sys/fs/cgroup/a/cpu.stat': 'usage_usec 2000000\n',
      '/etc/systemd/system/spare.service': '[Service]\nExecStart=/bin/true\n',
    });
  const follow = (units: Record<string, FakeUnit>, allowlist: string[] = []) => {
    const system = fakeSystemd(units);
    const host = fakeHost({ dbus: { system, session: noBus }, files: files() });
    const settings = { ...defaultSettings, services: { allowlist } };
    const source = servicesLinux(host, fakeContext({ settings: () => settings }));
    const read = async () => (await readOnce(source, host.clock)).payload;
    return { system, source, read, clock: host.clock };
  };

  test('a second read makes no call', async () => {
    const { system, read } = follow({ 'a.service': running('/a') });
    await read();
    const before = system.calls.length;
    expect((await read())?.units).toMatchObject([{ name: 'a.service', memory: 4096, cpu_time: 2, main_pid: 7 }]);
    expect(system.calls).toHaveLength(before);
  });

  test('a failed unit is reported immediately, as the first entry, without querying announced properties', async () => {
    const { system, source, read, clock } = follow({ 'a.service': running('/a'), 'b.service': running('/b') });
    await read();
    let changes = 0;
    source.watch?.(() => {
      changes += 1;
    });
    const lists = system.count('ListUnitsByPatterns');
    system.state = 'degraded';
    system.change('b.service', {
      active: 'failed',
      sub: 'failed',
      properties: { InactiveEnterTimestamp: at(3000), MainPID: 0, NRestarts: 5 },
    });
    clock.advance(500);
    expect(changes).toBeGreaterThan(0);
    const payload = await read();
    expect(payload?.units[0]).toMatchObject({
      name: 'b.service',
      since: 3000,
      main_pid: null,
      restarts: 5,
      memory: null,
    });
    expect(payload).toMatchObject({ state: 'degraded', counts: { active: 1, failed: 1 } });
    expect(system.count('ListUnitsByPatterns')).toBe(lists);
  });

  test('added and removed units cause a new listing, at most once a second', async () => {
    const { system, source, read, clock } = follow({ 'a.service': running('/a') });
    await read();
    source.watch?.(() => {});
    for (let n = 0; n < 50; n += 1) system.change(`new-${n}.service`, running('/n'));
    await read();
    await read();
    expect(system.count('ListUnitsByPatterns')).toBe(1);
    clock.advance(1000);
    expect((await read())?.units).toHaveLength(51);
    expect(system.count('ListUnitsByPatterns')).toBe(2);
    system.emit('UnitRemoved', ['new-3.service', system.pathOf('new-3.service')]);
    expect((await read())?.units).toHaveLength(50);
  });

  test('a unit that is not a service is listed only while it has failed', async () => {
    const { system, read, clock } = follow({ 'x.timer': { active: 'active', sub: 'waiting' } });
    expect((await read())?.units).toEqual([]);
    system.change('x.timer', { active: 'failed', sub: 'failed' });
    clock.advance(1000);
    expect((await read())?.units).toMatchObject([{ name: 'x.timer', active_state: 'failed' }]);
    system.change('x.timer', { active: 'active', sub: 'waiting' });
    clock.advance(1000);
    expect((await read())?.units).toEqual([]);
  });

  test('an unchanged unit is the same object, so it is serialised once', async () => {
    const { read, clock } = follow({ 'a.service': running('/a'), 'b.service': stopped });
    const first = await read();
    clock.advance(5000);
    const second = await read();
    expect(second?.units[0]).toBe(first?.units[0] as never);
    expect(second?.units[1]).toBe(first?.units[1] as never);
  });

  test('after a restart of systemd everything is queried again', async () => {
    const { system, read } = follow({ 'a.service': running('/a') });
    await read();
    system.units.delete('a.service');
    system.restart();
    expect((await read())?.units).toEqual([]);
    expect(system.count('Subscribe')).toBe(2);
  });

  test('without readers there is neither a subscription nor a timer', async () => {
    const { system, source, read, clock } = follow({ 'a.service': running('/a') });
    await read();
    expect(system.subscriptions()).toBe(4);
    clock.advance(76_000);
    await Promise.resolve();
    await Promise.resolve();
    expect(system.subscriptions()).toBe(0);
    expect(system.count('Unsubscribe')).toBe(1);
    expect(clock.advanceToNext()).toBeFalse();
    source.close?.();
  });

  test('the first reading contains all 2,000 units, however slowly their properties arrive', async () => {
    const system = fakeSystemd(
      Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`u${n}.service`, running('/a')])),
    );
    const host = fakeHost({ dbus: { system, session: noBus }, files: files() });
    const never = new Promise<unknown[]>(() => {});
    system.answers.Get = ({ body = [] }) => (body[1] === 'SystemState' ? ['running'] : never);
    const source = servicesLinux(host, fakeContext());
    const { payload, reasons } = await readOnce(source, host.clock);
    expect(payload?.units).toHaveLength(2000);
    expect(payload?.counts.active).toBe(2000);
    expect(reasons).toContainEqual({
      field: 'units[].main_pid',
      reason: 'systemd has not reported it for 2000 units yet; read again',
      mendable: true,
    });
    expect(host.clock.monotonic()).toBeLessThan(1500);
  });

  test('more than 4,096 units are truncated, but counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 4100 }, (_, n) => [`u${n}.service`, stopped]));
    const payload = await follow({ ...many, 'z.service': { ...stopped, active: 'failed' } }).read();
    expect(payload).toMatchObject({ truncated: true, counts: { inactive: 4100, failed: 1 } });
    expect(payload?.units).toHaveLength(4096);
    expect(payload?.units[0]).toMatchObject({ name: 'z.service' });
  });

  test('allowed units are listed although systemd has not loaded them, unless they do not exist', async () => {
    const { read } = follow({ 'a.service': running('/a') }, ['a.service', 'spare.service', 'nope.service']);
    expect((await read())?.units.map(({ name, load_state, allowed }) => [name, load_state, allowed])).toEqual([
      ['a.service', 'loaded', true],
      ['spare.service', 'unloaded', true],
    ]);
  });

  test('an allowed unit stays in the list after systemd unloads it', async () => {
    const { system, read } = follow({ 'spare.service': stopped, 'other.service': stopped }, ['spare.service']);
    expect((await read())?.units).toHaveLength(2);
    for (const name of ['spare.service', 'other.service']) system.emit('UnitRemoved', [name, system.pathOf(name)]);
    expect((await read())?.units).toMatchObject([{ name: 'spare.service', load_state: 'unloaded', enabled: 'static' }]);
  });
});

test('a control group path that leads elsewhere is not read', async () => {
  const system = fakeSystemd({ 'a.service': running('/../../../etc'), 'b.service': running('relative') });
  const files = machineFiles({ '/sys/fs/cgroup/cgroup.controllers': '', '/etc/memory.current': '1\n' });
  const host = fakeHost({ dbus: { system, session: noBus }, files });
  const { payload } = await readOnce(servicesLinux(host, fakeContext()), host.clock);
  expect(payload?.units.map(({ memory }) => memory)).toEqual([null, null]);
});

test('user units are listed beside system units', async () => {
  const system = fakeSystemd({ 'same.service': running('/a') });
  const session = fakeSystemd({ 'same.service': { ...stopped, active: 'failed', sub: 'failed' } });
  const host = fakeHost({ dbus: { system, session }, files: machineFiles({}) });
  const { reasons } = collectReasons();
  const payload = await servicesLinux(host, fakeContext()).read(reasons);
  expect(payload?.units.map(({ name, scope }) => [name, scope])).toEqual([
    ['same.service', 'user'],
    ['same.service', 'system'],
  ]);
  expect(payload?.user_state).toBe('running');
});

test.each([
  ['without systemd', {}, 'Neither systemd nor OpenRC runs here'],
  ['with a systemd whose bus cannot be reached', { '/run/systemd/system/a.service': '' }, 'There is no bus here'],
])('%s the reason starts with it', async (_name, files, reason) => {
  const host = fakeHost({ dbus: { system: noBus, session: noBus }, files: machineFiles(files) });
  const { payload, reasons } = await readOnce(servicesLinux(host, fakeContext()), host.clock);
  expect(payload?.manager).toBeNull();
  expect(reasons.find(({ field }) => field === null)?.reason).toStartWith(reason);
});
