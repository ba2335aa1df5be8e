import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ActionContext } from '../../../src/core/action.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { playLinux } from '../../../src/features/media/linux/play.ts';
import { speechLinux } from '../../../src/features/media/linux/speech.ts';
import { speechDispatcher } from '../../../src/features/media/linux/speech-dispatcher.ts';
import { media } from '../../../src/features/media/media.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeActionContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { needs } from '../harness/parts.ts';
import { hostIn } from '../harness/session-host.ts';
import { createPrivateSound, hasSound, type PrivateSound } from '../harness/sound.ts';

setDefaultTimeout(120_000);

const [, , cancel, play, stop] = media.actions;

describe.skipIf(!hasSound())('speech and playback with a real PipeWire', () => {
  let sound: PrivateSound;
  let host: LinuxHost;
  let context: ActionContext;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    sound = createPrivateSound();
    await sound.start();
    sound.pactl('load-module', 'module-null-sink', 'sink_name=other');
    host = hostIn({ ...sound.variables, PATH: process.env.PATH ?? '' });
    context = fakeActionContext(host, {
      read: async () => ({ payload: { sinks: [{ id: 'other' }] } }) as never,
      settings: () => ({ ...defaultSettings, media: { directories: [{ name: 'sounds', path: sound.directory }] } }),
    }).context;
  });
  afterEach(async () => {
    await stop?.run({}, context);
    await cancel?.run({}, context);
    for (const child of started.splice(0)) await sound.stop(child);
  });
  afterAll(async () => {
    await host?.close();
    await sound?.remove();
  });

  /** What plays now, as PipeWire lists it. */
  const streams = () =>
    JSON.parse(sound.pactl('-f', 'json', 'list', 'sink-inputs')) as {
      sink: number;
      properties: Record<string, string>;
    }[];
  const binaries = () => streams().map(({ properties }) => properties['application.process.binary'] ?? '?');
  const sinkNamed = (name: string) =>
    (JSON.parse(sound.pactl('-f', 'json', 'list', 'sinks')) as { index: number; name: string }[]).find(
      (sink) => sink.name === name,
    )?.index;
  /** A minute of silence: mono, 8 bit, 8000 Hz. */
  const wave = () => {
    const file = path.join(sound.directory, 'silence.wav');
    const header = Buffer.from('RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0........\x01\0\x08\0data....', 'latin1');
    const bytes = 60 * 8000;
    for (const [offset, value] of [
      [4, bytes + 36],
      [24, 8000],
      [28, 8000],
      [40, bytes],
    ] as const)
      header.writeUInt32LE(value, offset);
    fs.writeFileSync(file, Buffer.concat([header, Buffer.alloc(bytes, 128)]));
    return file;
  };

  test.skipIf(!needs('mpv'))('mpv plays a file on the chosen output until it is stopped', async () => {
    const file = wave();
    const result = await play?.run({ path: file, output: 'other', volume: 20 }, context);
    expect(result?.data).toEqual({ by: 'mpv' });
    await until(() => binaries().includes('mpv'), 'mpv plays');
    expect(streams()[0]?.sink).toBe(sinkNamed('other'));
    await stop?.run({}, context);
    await until(() => streams().length === 0, 'mpv has ended');
  });

  test.skipIf(!needs('mpv'))('a playlist in place of a sound is refused by the player', async () => {
    const list = path.join(sound.directory, 'list.m3u');
    fs.writeFileSync(list, `#EXTM3U\n${wave()}\n`);
    // On a loaded machine the player takes longer than the action waits for its error.
    const patient = { ...host, clock: { ...host.clock, after: () => () => {} } };
    await expect(play?.run({ path: list }, { ...context, host: patient })).rejects.toMatchObject({ code: 'failed' });
    expect(streams()).toEqual([]);
  });

  test.skipIf(!needs('ffplay'))('ffplay does the same', async () => {
    const only = {
      ...host,
      launch: { ...host.launch, find: (name: string) => (name === 'ffplay' ? host.launch.find(name) : null) },
    };
    const player = await playLinux(only).find();
    const ending = new AbortController();
    const playing = player.play({ target: wave(), isFile: true, volume: 20, output: 'other' }, ending.signal);
    playing.catch(() => {});
    await until(() => binaries().includes('ffplay'), 'ffplay plays');
    await until(() => streams()[0]?.sink === sinkNamed('other'), 'it plays on the chosen output');
    ending.abort();
    await expect(playing).rejects.toThrow();
    await until(() => streams().length === 0, 'ffplay has ended');
    // It would play another file, or say whether it exists.
    const list = path.join(sound.directory, 'list.wav');
    fs.writeFileSync(list, 'ffconcat version 1.0\nfile silence.wav\n');
    const listed = new AbortController();
    const order = { target: list, isFile: true, volume: 20, output: 'other' };
    let outcome = '';
    const playingList = player.play(order, listed.signal).finally(() => {
      outcome ||= 'ended';
    });
    await until(() => {
      if (streams().length > 0) outcome ||= 'heard';
      return outcome !== '';
    }, 'it ends, or plays what the list names');
    listed.abort();
    await playingList.catch(() => {});
    expect(outcome).toBe('ended');
  });

  const long = 'This is a long sentence, which takes a while. '.repeat(20).slice(0, 1000);

  test.skipIf(!needs('espeak-ng'))('espeak-ng speaks, and stops when it is cancelled', async () => {
    const voice = await speechLinux(host).find();
    expect(voice.by).toBe('espeak-ng');
    await voice.say({ text: 'Hello', language: 'en', rate: 200, volume: 50 }, new AbortController().signal);
    await expect(voice.say({ text: 'x', language: 'xq' }, new AbortController().signal)).rejects.toMatchObject({
      code: 'failed',
    });
    const ending = new AbortController();
    const speaking = voice.say({ text: long }, ending.signal);
    speaking.catch(() => {});
    await until(() => streams().length > 0, 'it speaks');
    ending.abort();
    await expect(speaking).rejects.toThrow();
    await until(() => streams().length === 0, 'it has ended');
  });

  test.skipIf(!needs('speech-dispatcher', '/usr/lib/speech-dispatcher-modules/sd_espeak-ng'))(
    'speech-dispatcher speaks to the end, and stops when it is cancelled',
    async () => {
      const socket = path.join(sound.directory, 'speech-dispatcher', 'speechd.sock');
      fs.mkdirSync(path.dirname(socket), { recursive: true });
      started.push(sound.run('speech-dispatcher', '--run-single', '-c', 'unix_socket', '-S', socket, '-t', '0'));
      await until(async () => (await speechDispatcher(host)) !== null, 'speech-dispatcher is there');
      const voice = await speechLinux(host).find();
      expect(voice.by).toBe('speech-dispatcher');
      await voice.say({ text: '.Hello\n.\n', language: 'en', rate: 200, volume: 50 }, new AbortController().signal);
      const ending = new AbortController();
      const speaking = voice.say({ text: long }, ending.signal);
      await until(() => streams().length > 0, 'it speaks');
      ending.abort();
      // It reports the cancellation as an event.
      await speaking;
    },
  );
});
