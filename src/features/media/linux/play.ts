import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { soundEnvironment } from '../../../host/linux/sound/sound-environment.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { type PlayOrder, type SoundPlayer, soundControl } from '../media.contract.ts';
import { type FetchHost, fetchSound } from './fetch-sound.ts';

type PlayHost = FetchHost & Pick<LinuxHost, 'connectLocal' | 'environment' | 'launch' | 'paths' | 'run'>;

const noPlayer = 'Nothing here can play: install mpv or ffmpeg (ffplay)';
const longestMs = 12 * 3_600_000;

/** A file and how it is played. */
type FileOrder = Pick<PlayOrder, 'volume' | 'output'> & { file: string };

/** Neither reads a configuration, runs a script, shows a window, or has a protocol of the network, which a playlist could name. */
const players: readonly [name: string, argumentsFor: (order: FileOrder) => string[]][] = [
  [
    'mpv',
    (order) => [
      '--no-config',
      '--load-scripts=no',
      '--ytdl=no',
      '--no-video',
      '--no-terminal',
      '--autoload-files=no',
      // The other demuxers read playlists, which name more files.
      '--demuxer=lavf',
      // mpv opens the file itself.
      '--demuxer-lavf-o=protocol_whitelist=[data]',
      `--volume=${order.volume}`,
      ...(order.output === null ? [] : [`--audio-device=pulse/${order.output}`]),
      '--',
      order.file,
    ],
  ],
  [
    'ffplay',
    (order) => [
      '-nodisp',
      '-autoexit',
      '-hide_banner',
      '-loglevel',
      'error',
      '-vn',
      '-volume',
      String(Math.round(order.volume)),
      '-protocol_whitelist',
      'file,data',
      // Without the formats that name other files, such as hls and concat.
      '-format_whitelist',
      'aac,ac3,aiff,amr,ape,asf,au,avi,caf,eac3,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,tta,w64,wav,wv',
      '-i',
      order.file,
    ],
  ],
];

export const playLinux = (host: PlayHost) => soundControl(() => findPlayer(host), noPlayer);

function findPlayer(host: PlayHost): SoundPlayer | null {
  for (const [by, argumentsFor] of players) {
    const program = host.launch.find(by);
    if (program !== null)
      return { by, play: (order, signal) => run(host, { by, program, argumentsFor }, order, signal) };
  }
  return null;
}

async function run(
  host: PlayHost,
  { by, program, argumentsFor }: { by: string; program: string; argumentsFor(order: FileOrder): string[] },
  order: PlayOrder,
  signal: AbortSignal,
): Promise<void> {
  const env = {
    ...(await soundEnvironment(host)),
    SDL_VIDEODRIVER: 'dummy',
    ...(order.output === null ? {} : { PULSE_SINK: order.output, SDL_AUDIODRIVER: 'pulseaudio' }),
  };
  const file = order.isFile ? order.target : await fetchSound(host, order.target, signal);
  const options = { env, timeoutMs: longestMs, maxOutput: 4096, signal };
  const begin = async () => {
    signal.throwIfAborted();
    return await host.run(program, argumentsFor({ ...order, file }), options);
  };
  const ended = await begin().finally(() => {
    if (!order.isFile) host.scratch.remove(file);
  });
  if (ended.exitCode === 0 || ended.timedOut) return;
  // Callers without the scope files must not learn where a link leads.
  const why = shownText(ended.stderr.replaceAll(file, 'the file').trim(), 200);
  throw new ServiceError(
    'failed',
    `${by} could not play it${why === '' ? `, and ended with ${ended.exitCode}` : `: ${why}`}`,
  );
}
