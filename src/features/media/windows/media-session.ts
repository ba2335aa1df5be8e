import type { MediaSession } from './mediacontrol.ts';

const PLAYING = 4;

/**
 * Seconds from the beginning at `now` (Unix seconds), extrapolated: programs report their position only occasionally.
 * null: not reported.
 */
export function sessionPosition({ timeline, status, rate }: MediaSession, now: number): number | null {
  const { start, end, position, updatedAt } = timeline;
  if (updatedAt <= 0 || (position === 0 && end <= start)) return null;
  const gone = status === PLAYING ? Math.max(0, now - updatedAt) * (rate ?? 1) : 0;
  const at = Math.max(0, position - start + gone);
  return end > start ? Math.min(at, end - start) : at;
}

/**
 * The name of a program from its AppUserModelID: `Spotify.exe` and `SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify` are both Spotify.
 * Some are numbers that only the start menu resolves; they are returned unchanged.
 */
export function appName(id: string): string {
  const [packageName = '', application = ''] = id.replace(/#\d+$/, '').split('!');
  const name = application !== '' && application !== 'App' ? application : (packageName.split('_')[0] ?? packageName);
  const last = name.split('\\').at(-1) ?? name;
  const plain = last.replace(/\.exe$/i, '');
  return (application === 'App' ? plain.split('.').at(-1) : plain) || id;
}
