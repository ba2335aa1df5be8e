import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { soundEnvironment } from '../../../host/linux/sound/sound-environment.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { soundControl, type Voice } from '../media.contract.ts';
import type { SayInput } from '../play.schema.ts';
import { speechDispatcher } from './speech-dispatcher.ts';

type SpeechHost = Pick<LinuxHost, 'clock' | 'connectLocal' | 'environment' | 'launch' | 'paths' | 'run'>;

const noVoice =
  'Nothing here can speak: speech-dispatcher is not running, and espeak-ng is not installed; install one of them';
/** A thousand characters at half the usual speed. */
const timeoutMs = 300_000;

/** The voice that the user chose in speech-dispatcher, where it runs; else espeak-ng. */
export const speechLinux = (host: SpeechHost) =>
  soundControl(async () => (await speechDispatcher(host)) ?? espeak(host), noVoice);

function espeak(host: SpeechHost): Voice | null {
  const by = 'espeak-ng';
  const program = host.launch.find(by);
  if (program === null) return null;
  return {
    by,
    async say({ text, language, rate, volume }: SayInput, signal) {
      const args = [
        '--stdin',
        '-b',
        '1',
        ...(language ? ['-v', language.toLowerCase()] : []),
        ...(rate ? ['-s', String(Math.round(1.75 * rate))] : []),
        '-a',
        String(Math.round(volume ?? 100)),
      ];
      const env = await soundEnvironment(host);
      signal.throwIfAborted();
      const ended = await host.run(program, args, { env, input: printable(text), timeoutMs, maxOutput: 4096, signal });
      if (ended.exitCode === 0 && !/voice does not exist/i.test(ended.stderr)) return;
      const why = ended.timedOut
        ? 'it did not end in time'
        : shownText(ended.stderr.trim(), 200) || `code ${ended.exitCode}`;
      throw new ServiceError('failed', `${by} could not say the text: ${why}`);
    },
  };
}

/** Without control characters, which a synthesiser may take for commands. */
export const printable = (text: string) => text.replace(/\p{Cc}+/gu, ' ');
