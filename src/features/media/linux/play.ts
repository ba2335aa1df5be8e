import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { soundEnvironment } from '../../../host/linux/sound/sound-environment.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { PlayControl, PlayOrder, SoundPlayer } from '../media.contract.ts';
import { isOwnAddress } from '../play.target.ts';

type PlayHost = Pick<LinuxHost, 'checkedProxy' | 'connectLocal' | 'environment' | 'launch' | 'paths' | 'run'>;

const noPlayer = 'Nothing here can play: install mpv or ffmpeg (ffplay)';
const longestMs = 12 * 3_600_000;

/** No other protocols, which a playlist or a redirect could name. mpv opens a file itself and needs none. */
const forAddresses = 'http,https,httpproxy,tcp,tls,crypto,data';

/** Neither reads a configuration, runs a script or shows a window. */
const players: readonly [name: string, argumentsFor: (order: PlayOrder) => string[]][] = [
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
      `--demuxer-lavf-o=protocol_whitelist=[${order.isFile ? 'data' : forAddresses}]`,
      `--volume=${order.volume}`,
      ...(order.output === null ? [] : [`--audio-device=pulse/${order.output}`]),
      '--',
      order.target,
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
      order.isFile ? 'file,data' : forAddresses,
      '-i',
      order.target,
    ],
  ],
];

export const playLinux = (host: PlayHost): PlayControl => ({
  unavailable: async () => (findPlayer(host) === null ? noPlayer : null),
  async find() {
    const player = findPlayer(host);
    if (player === null) throw new ServiceError('unsupported', noPlayer);
    return player;
  },
});

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
  { by, program, argumentsFor }: { by: string; program: string; argumentsFor(order: PlayOrder): string[] },
  order: PlayOrder,
  signal: AbortSignal,
): Promise<void> {
  const sound = await soundEnvironment(host);
  const proxy = order.isFile ? null : await host.checkedProxy(isOwnAddress);
  const env = {
    ...sound,
    ...(proxy === null ? {} : { http_proxy: `http://127.0.0.1:${proxy.port}` }),
    SDL_VIDEODRIVER: 'dummy',
    ...(order.output === null ? {} : { PULSE_SINK: order.output, SDL_AUDIODRIVER: 'pulseaudio' }),
  };
  const running = host.run(program, argumentsFor(order), { env, timeoutMs: longestMs, maxOutput: 4096, signal });
  const ended = await running.finally(() => proxy?.close());
  if (ended.exitCode === 0 || ended.timedOut) return;
  const why = shownText(ended.stderr.trim(), 200);
  throw new ServiceError(
    'failed',
    `${by} could not play it${why === '' ? `, and ended with ${ended.exitCode}` : `: ${why}`}`,
  );
}
