import { afterAll, beforeAll, describe, test } from 'bun:test';
import path from 'node:path';
import { createMicrophoneUsage } from '../../../src/features/system/linux/system.microphone.ts';
import { createClock } from '../../../src/host/clock.ts';
import { createFiles } from '../../../src/host/linux/files.ts';
import { createLinuxEnvironment } from '../../../src/host/linux/linux-environment.ts';
import { linuxPaths } from '../../../src/host/linux/linux-paths.ts';
import type { PulseHost } from '../../../src/host/linux/sound/pulse.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';
import { createPaths } from '../../../src/host/paths.ts';
import { collectReasons } from '../../harness/machines.ts';
import { until } from '../../harness/until.ts';
import { createPrivateSound, hasSound, type PrivateSound } from '../harness/sound.ts';

const patienceMs = 90_000;

describe.skipIf(!hasSound())('microphone_usage with a real PipeWire', () => {
  let sound: PrivateSound;
  let usage: ReturnType<typeof createMicrophoneUsage>;
  const read = async () => {
    const { reasons, collected } = collectReasons();
    return [...(await usage.read(reasons)), ...collected.map(({ reason }) => reason)];
  };
  const waitFor = (...names: string[]) =>
    until(async () => String(await read()) === String(names), `[${names}] are listed`);
  const streams = () => sound.pactl('list', 'short', 'source-outputs').split('\n').filter(Boolean).length;

  beforeAll(async () => {
    sound = createPrivateSound();
    const environment = createLinuxEnvironment(sound.variables);
    const host: PulseHost = {
      files: createFiles({}),
      clock: createClock(),
      connectLocal: connectVerified,
      environment,
      paths: createPaths(environment, linuxPaths(environment)),
    };
    await sound.start();
    usage = createMicrophoneUsage(host);
  }, patienceMs);
  afterAll(async () => {
    usage?.close();
    await sound.remove();
  }, patienceMs);

  test('without a recording program the list is empty without a reason', () => waitFor(), patienceMs);

  test(
    'programs that record the microphone are listed, those that record the speakers are not',
    async () => {
      const listener = sound.run('parec', '--client-name=Listener', '--device=mic', '/dev/null');
      const other = sound.run('parec', '--client-name=Other', '--device=speakers.monitor', '/dev/null');
      await until(() => streams() === 2, 'both programs record');
      await waitFor('Listener');
      await sound.stop(listener);
      await waitFor();
      await sound.stop(other);
    },
    patienceMs,
  );

  test(
    'a program that uses PipeWire directly is listed as well, and each name once',
    async () => {
      const native = sound.run('pw-record', '--target=mic', path.join(sound.directory, 'native.wav'));
      const twice = [1, 2].map(() => sound.run('parec', '--client-name=Twice', '--device=mic', '/dev/null'));
      await until(() => streams() === 3, 'all three programs record');
      await waitFor('Twice', 'pw-record');
      await Promise.all([native, ...twice].map(sound.stop));
      await waitFor();
    },
    patienceMs,
  );
});
