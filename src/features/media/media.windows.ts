import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import { pollChanges } from '../../host/windows/change-poller.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { type Artwork, largestPicture, noArtwork, toArtwork } from './media.artwork.ts';
import { milliseconds, nothingPlays } from './media.empty.ts';
import type { Media } from './media.schema.ts';
import { appName, sessionPosition } from './windows/media-session.ts';
import type { MediaSession } from './windows/mediacontrol.ts';
import { mediacontrolLibrary } from './windows/mediacontrol.ts';

/** Polling interval while the module is watched. */
const pollEveryMs = 1000;

/** The programs that the media keys of Windows control. Tested against a fake only. */
export const mediaWindows: CreateSource<Media, WindowsHost> = (host) => {
  const control = host.nativeElsewhere(mediacontrolLibrary);
  /** The artwork is read once per track. */
  let picture: { key: string; artwork: Promise<Artwork> } | null = null;
  /** The last state and its time: while nothing plays, the payload must not change. */
  let same = { state: '', since: 0 };

  const artworkOf = (session: MediaSession): Promise<Artwork> => {
    const { key, title, artist, albumTitle, hasThumbnail } = session;
    const wanted = JSON.stringify([key, title, artist, albumTitle, hasThumbnail]);
    if (picture?.key !== wanted)
      picture = { key: wanted, artwork: hasThumbnail ? read(key) : Promise.resolve(noArtwork(null)) };
    return picture.artwork;
  };
  const read = async (key: string): Promise<Artwork> => {
    try {
      const bytes = await control.thumbnail(key, largestPicture);
      if (bytes === null) return noArtwork('The artwork is larger than 64 KiB as a data URL, or empty');
      return toArtwork(bytes, 'The artwork from the player');
    } catch (error) {
      return noArtwork(`The artwork could not be read: ${messageOf(error)}`);
    }
  };

  return {
    async read(reasons) {
      const sessions = await control.sessions();
      if (sessions === null) {
        reasons.inherent(null, 'This Windows has no media controls; they require Windows 10 1809 or later');
        return nothingPlays;
      }
      const ordered = [...sessions].sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
      const [current] = ordered;
      if (current === undefined) {
        reasons.inherent(null, 'No media player is running');
        return nothingPlays;
      }
      const state = JSON.stringify(current);
      if (state !== same.state) same = { state, since: host.clock.now() / 1000 };
      return describeMedia(
        ordered,
        await artworkOf(current),
        { now: host.clock.now() / 1000, since: same.since },
        reasons,
      );
    },
    watch: (changed) => pollChanges(host.clock, pollEveryMs, control.sessions, changed),
  };
};

const statuses: (Media['status'] | undefined)[] = ['STOPPED', 'STOPPED', 'CHANGING', 'STOPPED', 'PLAYING', 'PAUSED'];
const repeats: (Media['repeat'] | undefined)[] = ['NONE', 'TRACK', 'LIST'];
const types = [null, 'music', 'video', 'image'];

/** The first session is the current one. `since`: time of its last change. */
export function describeMedia(
  sessions: MediaSession[],
  { thumbnail, reason }: Artwork,
  { now, since }: { now: number; since: number },
  reasons: Reasons,
): Media {
  const [current] = sessions;
  if (current === undefined) return nothingPlays;
  const { timeline, can } = current;
  const status = statuses[current.status] ?? null;
  const position = sessionPosition(current, now);
  const duration = timeline.end - timeline.start;
  const media: Media = {
    title: current.title || null,
    artist: current.artist || null,
    album_title: current.albumTitle || null,
    album_artist: current.albumArtist || null,
    subtitle: current.subtitle || null,
    type: types[current.type ?? 0] ?? null,
    status,
    position: position === null ? null : milliseconds(position),
    duration: duration > 0 ? milliseconds(duration) : null,
    playback_rate: current.rate,
    volume: null,
    shuffle: current.shuffle,
    repeat: repeats[current.repeat ?? -1] ?? null,
    track_number: current.trackNumber > 0 ? current.trackNumber : null,
    is_play_enabled: can.play,
    is_pause_enabled: can.pause,
    is_stop_enabled: can.stop,
    is_next_enabled: can.next,
    is_previous_enabled: can.previous,
    is_fast_forward_enabled: can.seek,
    is_rewind_enabled: can.seek,
    thumbnail,
    updated_at: milliseconds(status === 'PLAYING' && position !== null ? now : since),
    players: sessions.map(listed),
  };
  explain(media, appName(current.key), reason, reasons);
  return media;
}

function listed(session: MediaSession, index: number): Media['players'][number] {
  const { key: name, title, artist } = session;
  const status = statuses[session.status] ?? null;
  const track = { title: title || null, artist: artist || null };
  return { name, identity: appName(name), is_current: index === 0, status, ...track };
}

function explain(media: Media, player: string, pictureReason: string | null, reasons: Reasons): void {
  const special: Partial<Record<string, string>> = {
    volume: "Windows' media controls have no volumes; the module audio has those of programs",
    thumbnail: pictureReason ?? `${player} has no artwork for this`,
  };
  explainNulls([media], '', (field) => special[field] ?? `${player} does not report it`, reasons.inherent);
  for (const entry of media.players)
    explainNulls([entry], 'players[]', () => `${entry.identity} does not report it`, reasons.inherent);
}
