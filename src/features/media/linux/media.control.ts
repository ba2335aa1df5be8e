import type { ActionContext, ActionResult } from '../../../core/action.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { MediaControl } from '../media.contract.ts';
import { isVolume, type MediaRequest, readMediaRequest } from '../media.request.ts';
import type { MediaControlInput, MediaControlOutput } from '../media.schema.ts';
import { orderPlayer } from './media.player.ts';
import { setSystemVolume, systemSound } from './media.sink.ts';
import { createMuted, setPlayerVolume } from './media.volume.ts';
import type { Player } from './mpris.entry.ts';
import { type Mpris, mprisOf } from './mpris.ts';

export const mediaControlLinux = (host: LinuxHost): MediaControl => ({
  unavailable: () => unavailable(host),
  control: (input, { keep }) => control(host, input, keep),
});

async function control(
  host: LinuxHost,
  input: MediaControlInput,
  keep: ActionContext['keep'],
): Promise<ActionResult<MediaControlOutput>> {
  const { name: action, request } = readMediaRequest(input);
  const mpris = mprisOf(host);
  const player = choose(await playersOf(mpris, request), input.player ?? null, action);
  if (!isVolume(request)) {
    if (player === null) throw noPlayer(action);
    await orderPlayer(mpris, player, request);
    return done({ action, player: player.name, volume: null }, `${action} was sent to ${player.identity}`);
  }
  if (player !== null) {
    const volume = await setPlayerVolume(mpris, player, request, keep(createMuted).levels, host.clock);
    if (volume !== null) return done({ action, player: player.name, volume }, volumeIs(player.identity, volume));
    if (input.player) throw new ServiceError('unsupported', `${player.identity} has no volume of its own`);
  }
  const sink = await setSystemVolume(host, request);
  return done({ action, player: null, volume: sink.volume }, volumeIs(sink.description, sink.volume));
}

async function unavailable(host: LinuxHost): Promise<string | null> {
  try {
    await mprisOf(host).players();
    return null;
  } catch (error) {
    return (await systemSound(host)) === null
      ? null
      : `There are neither media players nor a sound server: ${messageOf(error)}`;
  }
}

/** Without a session bus there are no players, but there may be a sound server. */
async function playersOf(mpris: Mpris, request: MediaRequest): Promise<Player[]> {
  try {
    return await mpris.players();
  } catch (error) {
    if (isVolume(request)) return [];
    throw new ServiceError('unsupported', `There is no media player: ${messageOf(error)}`, { cause: error });
  }
}

/** By its name, its name without the instance, or its identity. Without a name: the first that answers. */
export function choose(players: Player[], wanted: string | null, action: string): Player | null {
  if (wanted === null || wanted === '') return players.find(({ silent }) => !silent) ?? null;
  const key = wanted.toLowerCase();
  const keysOf = ({ name, identity }: Player) => [name, name.replace(/\.instance.*$/i, ''), identity];
  const named = players.find((player) => keysOf(player).some((known) => known.toLowerCase() === key));
  if (named === undefined) {
    const known = players.length === 0 ? 'none is running' : `available: ${players.map(({ name }) => name).join(', ')}`;
    throw new ServiceError('not_found', `There is no media player ${JSON.stringify(wanted)} to ${action}; ${known}`);
  }
  if (named.silent) throw new ServiceError('failed', `${named.identity} does not answer; restart it`);
  return named;
}

const noPlayer = (action: string) =>
  new ServiceError('unsupported', `There is no media player to ${action}; start one`);

const volumeIs = (whose: string, volume: number) => `The volume of ${whose} is ${volume}`;

function done(data: MediaControlOutput, message: string): ActionResult<MediaControlOutput> {
  return { data, message };
}
