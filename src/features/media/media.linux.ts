import { BusError } from '@hostler/dbus/dbus.ts';
import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { createAbsence } from '../../lib/absence-cache.ts';
import { type Clock, settledWithin } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { createArtwork } from './linux/media.artwork.ts';
import { type Player, positionAt } from './linux/mpris.entry.ts';
import { mprisOf } from './linux/mpris.ts';
import type { Artwork } from './media.artwork.ts';
import { milliseconds, nothingPlays } from './media.empty.ts';
import type { Media } from './media.schema.ts';
import { kindOfFile } from './media-names.ts';

/** How long a read waits for the artwork of a new track, ms. */
const pictureMs = 60;
/** Players beside the current one with artwork: every picture is sent with every change. */
const mostPictures = 3;

/** The players of the session, through MPRIS. */
export const mediaLinux: CreateSource<Media, LinuxHost> = (host, { settings }) => {
  const mpris = mprisOf(host);
  const artworkOf = createArtwork({ host, settings });
  const { clock } = host;
  let changed: (() => void) | null = null;
  /** A new bus is announced to followers; the recovery of one that hangs is not. */
  let hasBus = true;
  const noPlayers = createAbsence<string>(clock, () => changed !== null && !hasBus);

  const describe = async (players: Player[], reasons: Reasons): Promise<Media> => {
    const [current] = players;
    if (current === undefined) reasons.inherent(null, 'No media player is running');
    if (current === undefined || current.silent) return silence(players, reasons);
    const [own, others] = await Promise.all([
      inTime(artworkOf(current)),
      othersArtwork(players.filter((player) => player !== current && !player.silent)),
    ]);
    const whole = toMedia(players, current, own, { clock, reasons });
    return { ...whole, players: whole.players.map((player) => ({ ...player, ...others.get(player.name) })) };
  };

  const inTime = async (picture: Promise<Artwork>): Promise<Artwork> => {
    if (await settledWithin(clock, picture, pictureMs)) return await picture;
    void picture.then(() => changed?.());
    return pending;
  };

  /** By the names of the players. */
  const othersArtwork = async (others: readonly Player[]): Promise<Map<string, { thumbnail: string }>> => {
    const found = await Promise.all(
      others.slice(0, mostPictures).map(async (player) => {
        const { thumbnail } = await inTime(artworkOf(player));
        return thumbnail === null ? [] : [[player.name, { thumbnail }] as const];
      }),
    );
    return new Map(found.flat());
  };

  return {
    async read(reasons) {
      const problem = noPlayers.known();
      if (problem !== null) return unreachable(problem, reasons);
      const noteAbsence = noPlayers.look();
      let players: Player[];
      try {
        players = await mpris.players();
      } catch (error) {
        hasBus = !(error instanceof BusError && error.errorName === 'Client.NoBus');
        noteAbsence(messageOf(error));
        return unreachable(messageOf(error), reasons);
      }
      return await describe(players, reasons);
    },
    watch(notify) {
      const onChange = () => {
        noPlayers.forget();
        notify();
      };
      changed = onChange;
      const stop = mpris.follow(onChange);
      return () => {
        changed = null;
        stop();
      };
    },
  };
};

function unreachable(problem: string, reasons: Reasons): Media {
  reasons.missing(null, `The media players could not be queried: ${problem}`);
  return nothingPlays;
}

const pending: Artwork = { thumbnail: null, reason: 'The artwork is still being read' };

function silence(players: Player[], reasons: Reasons): Media {
  if (players.length > 0) {
    const names = players.map(({ name }) => name).join(', ');
    reasons.missing(null, `No player is responding; restart ${names}`);
  }
  return { ...nothingPlays, players: players.map((player) => listed(player, reasons, false)) };
}

function toMedia(
  players: Player[],
  current: Player,
  { thumbnail, reason }: Artwork,
  { clock, reasons }: { clock: Clock; reasons: Reasons },
): Media {
  const { track, can, status } = current;
  const now = clock.monotonic();
  const position = positionAt(current, now);
  // While nothing plays, updated_at is the last change, so that the payload does not change.
  const age = status === 'PLAYING' && position !== null ? 0 : now - current.changedAt;
  const media: Media = {
    title: track.title,
    artist: track.artist,
    album_title: track.album,
    album_artist: track.albumArtist,
    subtitle: null,
    type: typeOf(track.url),
    status,
    position: position === null ? null : milliseconds(position),
    duration: track.length === null || track.length === 0 ? null : milliseconds(track.length),
    playback_rate: current.rate,
    volume: current.volume === null ? null : Math.round(Math.max(0, Math.min(1, current.volume)) * 100),
    shuffle: current.shuffle,
    repeat: current.repeat,
    track_number: track.number,
    is_play_enabled: can.play,
    is_pause_enabled: can.pause,
    is_stop_enabled: can.control,
    is_next_enabled: can.next,
    is_previous_enabled: can.previous,
    is_fast_forward_enabled: can.seek,
    is_rewind_enabled: can.seek,
    thumbnail,
    updated_at: milliseconds((clock.now() - age) / 1000),
    players: [],
  };
  explain(media, current.identity, reason, reasons);
  return { ...media, players: players.map((player) => listed(player, reasons, player === current)) };
}

function explain(media: Media, player: string, pictureReason: string | null, reasons: Reasons): void {
  const special: Partial<Record<string, string>> = {
    subtitle: 'MPRIS, the interface of players on Linux, has no subtitles',
    type: 'The type is known for local files only, from their names',
    thumbnail: pictureReason ?? `${player} has no artwork for this`,
  };
  explainNulls([media], '', (field) => special[field] ?? `${player} does not report it`, reasons.inherent);
}

function listed(player: Player, reasons: Reasons, isCurrent: boolean): Media['players'][number] {
  const { name, identity, status, track, silent } = player;
  const entry = { name, identity, is_current: isCurrent, status, title: track.title, artist: track.artist };
  const why = silent ? `${name} does not answer` : `${name} does not report it`;
  explainNulls([entry], 'players[]', () => why, reasons.inherent);
  return entry;
}

function typeOf(url: string | null): string | null {
  return url?.startsWith('file:') ? kindOfFile(url) : null;
}
