import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createStore } from '../../../src/core/store.ts';
import { audioControl } from '../../../src/features/audio/audio.actions.ts';
import { type Audio, type AudioControlInput, audioSchema } from '../../../src/features/audio/audio.schema.ts';
import { audio } from '../../../src/features/audio/audio.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { soundPlayer } from '../../../src/features/notification/linux/notification.sound.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeActionContext, fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { hostIn } from '../harness/session-host.ts';
import { createPrivateSound, hasSound, type PrivateSound } from '../harness/sound.ts';

setDefaultTimeout(120_000);

describe.skipIf(!hasSound())('audio with a real PipeWire', () => {
  let sound: PrivateSound;
  let host: LinuxHost;
  let wave: string;
  const closing: (() => unknown)[] = [];
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    sound = createPrivateSound();
    await sound.start();
    sound.pactl('load-module', 'module-null-sink', 'sink_name=other', 'sink_properties=device.description=Other');
    host = hostIn(sound.variables);
    wave = path.join(sound.directory, 'silence.wav');
    fs.writeFileSync(wave, silence(60));
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const child of started.splice(0)) await sound.stop(child);
  });
  afterAll(async () => {
    await host?.close();
    await sound?.remove();
  });

  const open = (machine: LinuxHost) => {
    const settings = { ...defaultSettings, modules: { audio: { interval: 86_400_000 } } };
    const store = createStore({
      modules: [audio.module],
      host: machine,
      context: fakeContext({ settings: () => settings }),
    });
    closing.push(() => store.close());
    return store;
  };
  const read = async () => (await open(host).get('audio')).payload as Audio;
  const listen = () => {
    const received: { payload: Audio; at: number }[] = [];
    const stop = open(host).listen('audio', ({ payload }) =>
      received.push({ payload: payload as Audio, at: performance.now() }),
    );
    closing.push(stop);
    const has = (what: string, condition: (payload: Audio) => boolean) =>
      until(() => received.some(({ payload }) => condition(payload)), what);
    return { received, has };
  };
  const control = async (input: AudioControlInput) =>
    (await audioControl.run(input, fakeActionContext(host).context)).data;
  const play = (name: string) => {
    const child = sound.run('paplay', `--client-name=${name}`, wave);
    started.push(child);
    return child;
  };
  const volumeOf = (kind: 'sink' | 'source', name: string) =>
    Number(/(\d+)%/.exec(sound.pactl(`get-${kind}-volume`, name))?.[1]);
  const isMuted = (kind: 'sink' | 'source', name: string) => sound.pactl(`get-${kind}-mute`, name).includes('yes');

  /** The view of another client on a program that plays. */
  const streamInPactl = (id: number) => {
    const list = (kind: string) => JSON.parse(sound.pactl('--format=json', 'list', kind)) as PactlEntry[];
    const { volume = {}, mute, sink } = list('sink-inputs').find(({ index }) => index === id) ?? {};
    const [loudness] = Object.values(volume).map(({ value_percent }) => Number.parseInt(value_percent, 10));
    return { volume: loudness, is_muted: mute, device: list('sinks').find(({ index }) => index === sink)?.name };
  };

  test('outputs, inputs and the defaults are listed', async () => {
    sound.pactl('set-sink-volume', 'speakers', '35%');
    sound.pactl('set-sink-mute', 'other', '1');
    const payload = await read();
    audioSchema.parse(payload);
    expect(payload).toMatchObject({ default_sink: 'speakers', default_source: 'mic' });
    expect(payload.server).toContain('PipeWire');
    expect(payload.sinks.find(({ id }) => id === 'speakers')).toMatchObject({
      is_default: true,
      volume: 35,
      is_muted: false,
    });
    expect(payload.sinks.find(({ id }) => id === 'other')).toMatchObject({
      name: 'Other',
      is_default: false,
      is_muted: true,
    });
    expect(payload.sources.find(({ id }) => id === 'mic')).toMatchObject({ monitor_of: null, is_default: true });
    expect(payload.sources.find(({ id }) => id === 'speakers.monitor')).toMatchObject({ monitor_of: 'speakers' });
    sound.pactl('set-sink-mute', 'other', '0');
  });

  test('a program that plays and one that records are listed with the devices they use', async () => {
    const { has, received } = listen();
    const player = play('TestPlayer');
    started.push(sound.run('parec', '--client-name=TestRecorder', '-d', 'mic', '/dev/null'));
    // PipeWire shows a new stream before it says where it plays, and how loud.
    await has(
      'both show',
      ({ streams }) =>
        streams.length >= 2 &&
        streams.every(({ device, kind, volume }) => device !== null && (kind !== 'playback' || volume !== 0)),
    );
    const { streams = [] } = received.at(-1)?.payload ?? {};
    expect(streams.find(({ application }) => application === 'TestPlayer')).toMatchObject({
      kind: 'playback',
      device: 'speakers',
      process: player.pid,
      volume: 100,
      is_muted: false,
    });
    expect(streams.find(({ application }) => application === 'TestRecorder')).toMatchObject({
      kind: 'recording',
      device: 'mic',
    });
  });

  test('a change by another program is pushed', async () => {
    const { received, has } = listen();
    await has('the first one', () => true);
    const before = performance.now();
    sound.pactl('set-sink-volume', 'speakers', '77%');
    await has('the new volume', ({ sinks }) => sinks.some(({ id, volume }) => id === 'speakers' && volume === 77));
    const at = received.find(({ payload }) => payload.sinks.some(({ volume }) => volume === 77))?.at ?? 0;
    console.info(`audio: a change was pushed ${Math.round(at - before)} ms after pactl was started`);
    for (const name of ['other', 'speakers']) {
      sound.pactl('set-default-sink', name);
      await until(() => sound.pactl('get-default-sink').trim() === name, `the sound server has the default ${name}`);
      await until(() => received.at(-1)?.payload.default_sink === name, `the default ${name} is pushed`);
    }
  });

  test('volume and mute of outputs and inputs are set', async () => {
    sound.pactl('set-sink-volume', 'speakers', '40%', '20%');
    expect(await control({ action: 'volume', value: 60 })).toEqual({
      action: 'VOLUME',
      device: 'speakers',
      stream: null,
      volume: 60,
      is_muted: false,
    });
    // The balance stays.
    expect(sound.pactl('get-sink-volume', 'speakers')).toMatch(/60%.*30%/s);
    await control({ action: 'VOLUME_UP' });
    await control({ action: 'VOLUME_UP', value: 10 });
    expect(volumeOf('sink', 'speakers')).toBe(75);
    await control({ action: 'VOLUME_UP', value: 100 });
    expect(volumeOf('sink', 'speakers')).toBe(100);
    await control({ action: 'VOLUME', value: 130, device: 'other' });
    expect(await control({ action: 'VOLUME_UP', device: 'other' })).toMatchObject({ volume: 130 });
    await control({ action: 'VOLUME_DOWN', value: 50, device: 'other' });
    expect(volumeOf('sink', 'other')).toBe(80);
    expect(await control({ action: 'MUTE' })).toMatchObject({ is_muted: true });
    expect(isMuted('sink', 'speakers')).toBe(true);
    expect(await control({ action: 'MUTE', value: true })).toMatchObject({ is_muted: true });
    expect(await control({ action: 'MUTE' })).toMatchObject({ is_muted: false });
    expect(isMuted('sink', 'speakers')).toBe(false);
    expect(await control({ action: 'VOLUME', value: 12, kind: 'source' })).toMatchObject({ device: 'mic' });
    expect(volumeOf('source', 'mic')).toBe(12);
    expect(await control({ action: 'MUTE', device: 'mic', value: true })).toMatchObject({ device: 'mic' });
    expect(isMuted('source', 'mic')).toBe(true);
    await control({ action: 'MUTE', device: 'mic', value: false });
    expect(isMuted('source', 'mic')).toBe(false);
  });

  test('the default is changed', async () => {
    expect(await control({ action: 'DEFAULT', device: 'other' })).toMatchObject({ device: 'other' });
    await until(() => sound.pactl('get-default-sink').trim() === 'other', 'it is the default');
    await control({ action: 'DEFAULT', device: 'speakers' });
    await until(() => sound.pactl('get-default-sink').trim() === 'speakers', 'the other one is again');
  });

  test('the volume, mute and output of a program are set', async () => {
    const { received, has } = listen();
    play('Quiet');
    const mine = ({ streams }: Audio) => streams.find(({ application }) => application === 'Quiet');
    await has('it plays', (payload) => mine(payload)?.device === 'speakers');
    const stream = mine(received.at(-1)?.payload as Audio)?.id ?? -1;
    expect(await control({ action: 'VOLUME', value: 33, stream })).toMatchObject({
      stream,
      device: 'speakers',
      volume: 33,
    });
    expect(await control({ action: 'MUTE', stream })).toMatchObject({ stream, is_muted: true });
    expect(await control({ action: 'MOVE', stream, device: 'other' })).toMatchObject({ stream, device: 'other' });
    const ordered = { volume: 33, is_muted: true, device: 'other' };
    await until(() => isDeepStrictEqual(streamInPactl(stream), ordered), 'the sound server did all of it');
    const pushed = () => {
      const { volume, is_muted, device } = mine(received.at(-1)?.payload as Audio) ?? {};
      return { volume, is_muted, device };
    };
    await until(() => isDeepStrictEqual(pushed(), ordered), 'all of it is pushed');
  });

  test('the sound of a notification is played', async () => {
    const { has } = listen();
    const player = soundPlayer(host);
    if (player === null) throw new Error('there are pw-play and paplay here');
    const short = path.join(sound.directory, 'short.wav');
    fs.writeFileSync(short, silence(2));
    const played = player(short, 0.25, new AbortController().signal);
    await has('it plays', ({ streams }) => streams.some(({ title, is_paused }) => title === short && !is_paused));
    await played;
  });

  test.each<[AudioControlInput, string]>([
    [{ action: 'LOUDER' }, 'There is no audio action'],
    [{ action: 'VOLUME' }, 'needs a value'],
    [{ action: 'VOLUME', value: 151 }, 'from 0 to 150'],
    [{ action: 'VOLUME', value: 10, device: 'missing' }, 'There is no output or input'],
    [{ action: 'MUTE', stream: 4_000_000_000 }, 'There is no stream'],
    [{ action: 'DEFAULT' }, 'needs device'],
    [{ action: 'MOVE', stream: 1 }, 'needs stream and device'],
  ])('%p is refused', async (input, sentence) => {
    await expect(control(input)).rejects.toThrow(sentence);
  });

  test('a server that crashes and restarts is followed', async () => {
    const own = createPrivateSound();
    closing.push(() => own.remove());
    await own.start();
    const mine = hostIn(own.variables);
    closing.push(() => mine.close());
    const received: Audio[] = [];
    closing.push(open(mine).listen('audio', ({ payload }) => received.push(payload as Audio)));
    await until(() => received.at(-1)?.default_sink === 'speakers', 'it is there');
    await own.restart(() => until(() => received.some(({ server }) => server === null), 'it is gone'));
    await until(() => received.at(-1)?.sinks.some(({ id }) => id === 'speakers') === true, 'it is back');
  });

  test('a default that PipeWire does not announce appears at the next regular read', async () => {
    const own = createPrivateSound();
    closing.push(() => own.remove());
    await own.start();
    own.pactl('load-module', 'module-null-sink', 'sink_name=other');
    const mine = hostIn(own.variables);
    closing.push(() => mine.close());
    let later = 0;
    const clock = { ...mine.clock, monotonic: () => mine.clock.monotonic() + later };
    const store = open({ ...mine, clock });
    const received: Audio[] = [];
    closing.push(store.listen('audio', ({ payload }) => received.push(payload as Audio)));
    await until(() => received.at(-1)?.default_sink === 'speakers', 'it is there');
    await own.fallSilent();
    own.pactl('set-default-sink', 'other');
    await until(() => own.pactl('get-default-sink').trim() === 'other', 'it is another');
    await new Promise((resolve) => setTimeout(resolve, 300));
    console.info(
      `audio: a PipeWire that was made silent ${received.at(-1)?.default_sink === 'other' ? 'announced' : 'did not announce'} a new default`,
    );
    later = audio.module.everyMs;
    await store.refresh();
    expect(received.at(-1)?.default_sink).toBe('other');
  });

  test('without a server the module is empty, with a reason', async () => {
    const nowhere = hostIn({});
    closing.push(() => nowhere.close());
    const store = open(nowhere);
    expect((await store.get('audio')).payload).toEqual(audio.module.empty);
    const refused = audioControl.run({ action: 'MUTE' }, fakeActionContext(nowhere).context);
    await expect(refused).rejects.toMatchObject({ code: 'unsupported' });
    expect(await audioControl.unavailable(fakeActionContext(nowhere).context)).toContain('No sound server is running');
    expect(await audioControl.unavailable(fakeActionContext(host).context)).toBeNull();
  });
});

/** From the lists of pactl: an output, or a program that plays. */
interface PactlEntry {
  index: number;
  name?: string;
  sink?: number;
  mute?: boolean;
  volume?: Record<string, { value_percent: string }>;
}

/** Seconds of silence, as a sound file. */
function silence(seconds: number): Buffer {
  const bytes = seconds * 8000 * 2;
  const wave = Buffer.alloc(44 + bytes);
  wave.write('RIFF', 0, 'latin1');
  wave.writeUInt32LE(36 + bytes, 4);
  wave.write('WAVEfmt ', 8, 'latin1');
  wave.writeUInt32LE(16, 16);
  wave.writeUInt16LE(1, 20);
  wave.writeUInt16LE(1, 22);
  wave.writeUInt32LE(8000, 24);
  wave.writeUInt32LE(16_000, 28);
  wave.writeUInt16LE(2, 32);
  wave.writeUInt16LE(16, 34);
  wave.write('data', 36, 'latin1');
  wave.writeUInt32LE(bytes, 40);
  return wave;
}
