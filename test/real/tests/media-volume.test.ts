import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mediaControl } from '../../../src/features/media/media.actions.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeActionContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { hostIn } from '../harness/session-host.ts';
import { createPrivateSound, hasSound, type PrivateSound } from '../harness/sound.ts';

setDefaultTimeout(90_000);

describe.skipIf(!hasSound())('the volume of the machine, with a real PipeWire and no player', () => {
  let sound: PrivateSound;
  let host: LinuxHost;
  let finish: () => Promise<void>;
  let control: (action: string, value?: number) => Promise<unknown>;

  beforeAll(async () => {
    sound = createPrivateSound();
    await sound.start();
    host = hostIn(sound.variables);
    const { context, close } = fakeActionContext(host);
    finish = close;
    control = async (action, value) => (await mediaControl.run({ action, value }, context)).data;
  });
  afterAll(async () => {
    await finish();
    await host.close();
    await sound.remove();
  });

  const levels = () =>
    [...sound.pactl('get-sink-volume', 'speakers').matchAll(/(\d+)%/g)].map(([, level]) => Number(level));
  const muted = () => sound.pactl('get-sink-mute', 'speakers').includes('yes');

  test('it is set, stepped and muted as pactl confirms', async () => {
    expect(await mediaControl.unavailable(fakeActionContext(host).context)).toBeNull();
    expect(await control('VOLUME', 35)).toEqual({ action: 'VOLUME', player: null, volume: 35 });
    await until(() => levels()[0] === 35, 'it is at 35 %');
    await control('VOLUME_UP');
    await until(() => levels()[0] === 40, 'it is at 40 %');
    expect(await control('VOLUMEDOWN', 30)).toMatchObject({ action: 'VOLUME_DOWN', volume: 10 });
    await until(() => levels()[0] === 10, 'it is at 10 %');
    expect(await control('MUTE')).toMatchObject({ volume: 0 });
    await until(muted, 'it is muted');
    expect(await control('MUTE')).toMatchObject({ volume: 10 });
    await until(() => !muted(), 'it is unmuted');
    expect(levels()[0]).toBe(10);
  });

  test('the balance stays, and a volume above 100 % is not reset', async () => {
    sound.pactl('set-sink-volume', 'speakers', '80%', '40%');
    await control('VOLUME', 50);
    await until(() => String(levels()) === '50,25', 'both channels follow');
    sound.pactl('set-sink-volume', 'speakers', '120%');
    expect(await control('VOLUME_UP')).toMatchObject({ volume: 120 });
    expect(await control('VOLUME_DOWN')).toMatchObject({ volume: 115 });
  });

  test('all other actions need a player', async () => {
    await expect(control('PLAY')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('PLAY'),
    });
  });
});

test('without players, sound and session the error names what is missing, at once', async () => {
  const host = hostIn({});
  const { context } = fakeActionContext(host);
  for (const action of ['PLAY', 'VOLUME_UP']) {
    await expect(mediaControl.run({ action }, context)).rejects.toMatchObject({ code: 'unsupported' });
  }
  expect(await mediaControl.unavailable(context)).toContain('neither media players nor a sound server');
  await host.close();
});
