import { expect, test } from 'bun:test';
import { kde, switchingCompositor } from '@hostler/wayland/testing/switching-compositor.ts';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { openDisplaySwitch } from './displays.power-control.ts';

function desktop(fixed: readonly string[]) {
  const { connect: connectLocal, powers } = switchingCompositor(kde, { fixed });
  const session = { find: async () => ({ variables: {}, wayland: '/x', x11: null }), watch: () => () => {} };
  return { host: fakeHost({ connectLocal, session }), powers };
}

test('if one of several displays cannot be switched, none is', async () => {
  const { host, powers } = desktop(['DP-2']);
  const opened = await openDisplaySwitch(host);
  await expect(opened.set(['DP-1', 'DP-2'], 'off')).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The compositor reports that DP-2 cannot be switched on and off',
  });
  expect(powers()).toEqual(['on', 'on']);
  expect(await opened.set(['DP-1'], 'off')).toEqual({ confirmed: true });
  expect(powers()).toEqual(['off', 'on']);
  opened.close();
});

test('if no display can be switched, opening fails with a reason', async () => {
  const { host } = desktop(['DP-1', 'DP-2']);
  await expect(openDisplaySwitch(host)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The compositor reports that DP-1, DP-2 cannot be switched on and off',
  });
});
