import { expect, test } from 'bun:test';
import { type Bus, type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeActionContext, fakeBus, fakeHost, noBus } from '../../../../test/doubles/fake-host.ts';
import { sessionActions } from '../session.actions.ts';
import { dconfChange } from './dconf.ts';

const [silence, light] = sessionActions;

type Methods = Record<string, (call: BusCall) => unknown[]>;

/** A stand-in for a desktop: these names have an owner. */
function desktop(owners: string[], methods: Methods) {
  const bus = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': ({ body }) => [owners.includes(String(body?.[0]))],
    ...methods,
  });
  return { bus, ...on(bus) };
}

function on(session: Bus) {
  const host = fakeHost({ dbus: { system: noBus, session } });
  const { context } = fakeActionContext(host);
  // The fake clock advances as soon as a timer is set.
  const after = host.clock.after;
  host.clock.after = (ms, callback) => {
    const cancel = after(ms, callback);
    queueMicrotask(() => host.clock.advanceToNext());
    return cancel;
  };
  return { context, host };
}

const notifications = 'org.freedesktop.Notifications';
const server = (name: string) => ({ [`${notifications}.GetServerInformation`]: () => [name, 'x', '1', '1.2'] });
const get = 'org.freedesktop.DBus.Properties.Get';
const set = 'org.freedesktop.DBus.Properties.Set';

test('dunst is paused, and its state confirms it', async () => {
  let paused = false;
  const { bus, context } = desktop([notifications], {
    ...server('dunst'),
    [get]: () => [paused],
    [set]({ body }) {
      paused = (body as [string, string, { value: boolean }])[2].value;
      return [];
    },
  });
  expect(await silence.unavailable(context)).toBeNull();
  expect(await silence.run({ on: true }, context)).toEqual({
    message: 'Do not disturb is on (dunst)',
    data: { on: true, by: 'dunst', confirmed: true },
  });
  expect(bus.calls.find(({ member }) => member === 'Set')).toMatchObject({
    signature: 'ssv',
    body: ['org.dunstproject.cmd0', 'paused', { value: true }],
  });
  await silence.run({ on: false }, context);
  expect(paused).toBe(false);
});

test('the other modes of mako stay as they are', async () => {
  let modes = ['default', 'dnd', 'work'];
  const { context } = desktop([notifications], {
    ...server('mako'),
    'fr.emersion.Mako.ListModes': () => [modes],
    'fr.emersion.Mako.SetModes': ({ body }) => {
      modes = body?.[0] as string[];
      return [];
    },
  });
  await silence.run({ on: true }, context);
  expect(modes).toEqual(['default', 'work', 'do-not-disturb']);
  await silence.run({ on: false }, context);
  expect(modes).toEqual(['default', 'work']);
});

test('swaync is switched through its own interface', async () => {
  const { bus, context } = desktop([notifications], {
    ...server('SwayNC'),
    'org.erikreider.swaync.cc.SetDnd': () => [],
    'org.erikreider.swaync.cc.GetDnd': () => [true],
  });
  expect((await silence.run({ on: true }, context)).data.confirmed).toBe(true);
  expect(bus.calls.find(({ member }) => member === 'SetDnd')?.body).toEqual([true]);
});

test('Plasma inhibits notifications for this service, and keeps the inhibitions of others', async () => {
  let cookies: number[] = [];
  let byUser = false;
  const { bus, context } = desktop([notifications], {
    ...server('Plasma'),
    [get]: () => [byUser || cookies.length > 0],
    [`${notifications}.Inhibit`]: () => {
      cookies.push(7);
      return [7];
    },
    [`${notifications}.UnInhibit`]: ({ body }) => {
      cookies = cookies.filter((cookie) => cookie !== body?.[0]);
      return [];
    },
  });
  await silence.run({ on: true }, context);
  await silence.run({ on: true }, context);
  expect(cookies).toEqual([7]);
  expect((await silence.run({ on: false }, context)).data.confirmed).toBe(true);
  expect(bus.calls.filter(({ member }) => member === 'UnInhibit')).toHaveLength(1);
  byUser = true;
  await expect(silence.run({ on: false }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('can only be switched off there'),
  });
});

test('GNOME keeps both switches in its settings', async () => {
  const color = 'org.gnome.SettingsDaemon.Color';
  const { bus, context } = desktop([notifications, color], {
    ...server('gnome-shell'),
    'ca.desrt.dconf.Writer.Change': () => ['1'],
    [set]: () => [],
    'org.freedesktop.DBus.Properties.GetAll': () => [{ NightLightActive: false }],
  });
  const answer = await silence.run({ on: true }, context);
  expect(answer.message).toBe('gnome-shell was asked to switch do not disturb on, but has not confirmed it');
  expect(bus.calls.find(({ member }) => member === 'Change')).toMatchObject({
    destination: 'ca.desrt.dconf',
    path: '/ca/desrt/dconf/Writer/user',
    signature: 'ay',
    body: [dconfChange('/org/gnome/desktop/notifications/show-banners', false)],
  });
  expect((await light.run({ on: true }, context)).data).toEqual({ on: true, by: 'GNOME', confirmed: false });
  expect(bus.calls.findLast(({ member }) => member === 'Change')?.body).toEqual([
    dconfChange('/org/gnome/settings-daemon/plugins/color/night-light-enabled', true),
  ]);
});

test('a change for dconf equals the bytes of GLib', () => {
  // python3: GLib.Variant('a{smv}', {'/a/b': GLib.Variant('b', True)}).get_data_as_bytes()
  expect(Buffer.from(dconfChange('/a/b', true)).toString('hex')).toBe('2f612f620000000001006200050d');
  expect(() => dconfChange(`/${'x'.repeat(300)}`, true)).toThrow('too long');
});

test('the night light of Plasma is inhibited, unless it is disabled there', async () => {
  const place = 'org.kde.KWin.NightLight';
  let enabled = true;
  let held = 0;
  const { context } = desktop([place], {
    [get]: () => [enabled],
    'org.freedesktop.DBus.Properties.GetAll': () => [{ running: held === 0 }],
    [`${place}.inhibit`]: () => {
      held += 1;
      return [3];
    },
    [`${place}.uninhibit`]: () => {
      held -= 1;
      return [];
    },
  });
  expect((await light.run({ on: false }, context)).message).toBe('Night light is off (Plasma)');
  await light.run({ on: false }, context);
  expect(held).toBe(1);
  expect((await light.run({ on: true }, context)).data.confirmed).toBe(true);
  expect(held).toBe(0);
  enabled = false;
  await light.run({ on: false }, context);
  await expect(light.run({ on: true }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('System Settings'),
  });
  // No inhibition remains that would have an effect once it is enabled.
  expect(held).toBe(0);
});

test('every refusal says why, and what to install', async () => {
  for (const bus of [noBus, desktop([], {}).bus]) {
    const { context } = on(bus);
    expect(await silence.unavailable(context)).toContain('install and start one, such as dunst');
    await expect(silence.run({ on: true }, context)).rejects.toMatchObject({ code: 'unsupported' });
    expect(await light.unavailable(context)).toContain('Neither GNOME nor Plasma is running');
    await expect(light.run({ on: true }, context)).rejects.toMatchObject({ code: 'unsupported' });
  }
  const strange = desktop([notifications], server('Evil\u001b[2J\u202e'));
  expect(await silence.unavailable(strange.context)).toBe(
    'Evil\ufffd[2J has no do-not-disturb switch for other programs; dunst, mako, swaync, GNOME and Plasma have one',
  );
  const noDconf = desktop([notifications], {
    ...server('gnome-shell'),
    'ca.desrt.dconf.Writer.Change': () => {
      throw new BusError('org.freedesktop.DBus.Error.ServiceUnknown', 'no such name');
    },
  });
  await expect(silence.run({ on: true }, noDconf.context)).rejects.toMatchObject({
    message: expect.stringContaining('install dconf-service'),
  });
  const hanging = desktop([notifications], {
    ...server('dunst'),
    [set]: () => {
      throw new BusError('Client.Timeout', 'No answer within 2 s');
    },
  });
  await expect(silence.run({ on: true }, hanging.context)).rejects.toMatchObject({
    code: 'failed',
    message: 'The desktop did not answer: No answer within 2 s',
  });
});

test('only on and off are accepted', async () => {
  const schema = await silence.input();
  for (const input of [{}, { on: 1 }, { on: 'true' }, { on: true, off: false }, null])
    expect(schema.safeParse(input).success).toBe(false);
});
