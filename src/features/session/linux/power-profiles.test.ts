import { expect, test } from 'bun:test';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeHost, noBus } from '../../../../test/doubles/fake-host.ts';
import { powerProfileLinux } from './power-profiles.control.ts';

function daemon(name: string, refuse?: string) {
  let active = 'balanced';
  const system = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': ({ body }: BusCall) => [body?.[0] === name],
    'org.freedesktop.DBus.Properties.GetAll': () => [
      { ActiveProfile: active, Profiles: [{ Profile: 'power-saver', Driver: 'x' }, { Profile: 'balanced' }, {}] },
    ],
    'org.freedesktop.DBus.Properties.Set'({ body }: BusCall) {
      if (refuse !== undefined) throw new BusError(refuse, 'no');
      active = (body as [string, string, { value: string }])[2].value;
      return [];
    },
  });
  return { system, control: powerProfileLinux(fakeHost({ dbus: { system, session: noBus } })) };
}

test.each(['org.freedesktop.UPower.PowerProfiles', 'net.hadess.PowerProfiles'])(
  'the profile of %s is set to one of its choices',
  async (name) => {
    const { system, control } = daemon(name);
    expect(await control.unavailable()).toBeNull();
    expect(await control.set('power-saver')).toBe('power-saver');
    expect(system.calls.find(({ member }) => member === 'Set')).toMatchObject({ destination: name, signature: 'ssv' });
    await expect(control.set('performance')).rejects.toMatchObject({
      code: 'invalid',
      message: 'There is no power profile "performance"; choose one of: power-saver, balanced',
    });
  },
);

test('a refusal of polkit, a failure and a missing daemon have their reasons', async () => {
  const name = 'net.hadess.PowerProfiles';
  const denied = daemon(name, 'org.freedesktop.DBus.Error.AccessDenied').control;
  await expect(denied.set('power-saver')).rejects.toMatchObject({ code: 'forbidden' });
  const broken = daemon(name, 'org.freedesktop.DBus.Error.Failed').control;
  await expect(broken.set('power-saver')).rejects.toMatchObject({ code: 'failed' });
  const missing = daemon('another.name').control;
  expect(await missing.unavailable()).toContain('power-profiles-daemon');
  await expect(missing.set('balanced')).rejects.toMatchObject({ code: 'unsupported' });
});
