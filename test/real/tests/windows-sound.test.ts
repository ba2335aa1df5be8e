// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import type { Audio } from '../../../src/features/audio/audio.schema.ts';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { createPrivateSound, hasSound, type PrivateSound } from '../harness/sound.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineStandin } from '../harness/wine-standin.ts';

setDefaultTimeout(180_000);

describe.skipIf(!hasSound() || !needsWine())('sound of the Windows build, with Wine in front of PipeWire', () => {
  let sound: PrivateSound;
  let hostler: WineHostler;

  beforeAll(async () => {
    sound = createPrivateSound();
    await sound.start();
    hostler = await startWineHostler({
      mounts: ['mkdir -p "$0/w/sound"', `mount --bind ${sound.directory} "$0/w/sound"`],
      environment: { PULSE_SERVER: 'unix:/w/sound/pulse/native' },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    await sound?.remove();
  });

  const read = async () => (await (await hostler.get('/api/data/audio')).json()) as Audio;

  test('the devices and the default match PipeWire', async () => {
    const { sinks, sources, default_sink, default_source, server } = await read();
    expect(server).toBe('Windows Core Audio');
    expect(sinks.length).toBeGreaterThan(0);
    expect(sources.length).toBeGreaterThan(0);
    expect(sinks.some(({ name }) => name.includes('speakers'))).toBeTrue();
    expect(sources.some(({ name }) => name.includes('mic'))).toBeTrue();
    // The default of Wine is a separate device that leads to the default of PipeWire.
    expect(sinks.filter(({ is_default }) => is_default).map(({ id }) => id)).toEqual([default_sink ?? '']);
    expect(sources.filter(({ is_default }) => is_default).map(({ id }) => id)).toEqual([default_source ?? '']);
  });

  test('an error of Windows is reported: Wine cannot set a volume', async () => {
    const client = await connectSocket(hostler);
    const answer = await client.ask('AUDIO_CONTROL', { action: 'VOLUME', value: 20 });
    expect(JSON.stringify(answer)).toContain('IAudioEndpointVolume.SetMasterVolumeLevelScalar failed with 0x80004001');
    client.end();
  });
});

describe.skipIf(!needsWine())('sound of the Windows build, with a stand-in for Core Audio', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    const classes = [{ com: 'bcde0395-e52f-467c-8e3d-c4579291692e' }, { com: '870af99c-171d-4f9e-af0d-e63df40c2bc9' }];
    hostler = await startWineHostler(wineStandin('fake-audio', classes));
  });
  afterAll(() => hostler?.stop());

  const read = async () => (await (await hostler.get('/api/data/audio')).json()) as Audio;
  /** What the stand-in received: volume and mute of the two outputs, the microphone and the program, then the default output. */
  const notified = () => fs.readFileSync(hostler.drive('standins/audio.txt'), 'utf8').split(/\r?\n/);

  test('devices, defaults, volumes and the program that plays are listed', async () => {
    const { sinks, sources, streams, default_sink, default_source } = await read();
    const common = { is_muted: false, port: null };
    expect(sinks).toEqual([
      { id: '{speakers}', name: 'Speakers (Stand-in)', is_default: true, volume: 35, state: 'running', ...common },
      { id: '{headphones}', name: 'Headphones é (Stand-in)', is_default: false, volume: 100, state: 'idle', ...common },
    ]);
    expect(sources).toMatchObject([{ id: '{microphone}', volume: 80, is_default: true }]);
    expect([default_sink, default_source]).toEqual(['{speakers}', '{microphone}']);
    expect(streams).toMatchObject([
      { application: 'hostler.exe', title: 'A film', volume: 50, device: '{speakers}', is_paused: false },
    ]);
  });

  test('actions take effect: volume, step, mute, program, default', async () => {
    const client = await connectSocket(hostler);
    const [stream] = (await read()).streams;
    const order = async (input: object) => {
      const answer = await client.ask('AUDIO_CONTROL', input);
      return JSON.stringify(answer);
    };
    expect(await order({ action: 'VOLUME', value: 20 })).toContain('"volume":20');
    expect(notified()[0]).toBe('0.2000 0');
    const given = notified().at(-2);
    expect(await order({ action: 'VOLUME_UP', value: 7 })).toContain('"volume":27');
    expect(notified()[0]).toBe('0.2700 0');
    // As many objects are held as the time before: all others were released.
    expect(notified().at(-2)).toBe(given ?? '');
    await order({ action: 'MUTE', value: true, kind: 'source' });
    expect(notified()[2]).toBe('0.8000 1');
    await order({ action: 'VOLUME', value: 10, stream: stream?.id });
    expect(notified()[3]).toBe('0.1000 0');
    await order({ action: 'MUTE', stream: stream?.id });
    expect(notified()[3]).toBe('0.1000 1');
    await order({ action: 'DEFAULT', device: '{headphones}' });
    expect(notified()[4]).toBe('1');
    await until(async () => ((await read()).default_sink === '{headphones}' ? true : null));
    expect(await order({ action: 'VOLUME', value: 120 })).toContain('does not amplify');
    expect(await order({ action: 'VOLUME', value: 1, device: 'x' })).toContain('There is no output or input');
    expect(await order({ action: 'MOVE', stream: stream?.id, device: '{speakers}' })).toContain(
      'does not let a program move',
    );
    client.end();
  });

  test('a change by another program is pushed', async () => {
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['audio'] });
    await client.until(({ module }) => module === 'audio', 'what is now');
    const file = hostler.drive('standins/audio.txt');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^\S+/, '0.6600'));
    // Its interval is 30 s; followed, it takes a second.
    await client.until(
      ({ module, data }) => module === 'audio' && (data as Audio).sinks[0]?.volume === 66,
      'the change',
    );
    client.end();
  });
});
