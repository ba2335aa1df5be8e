import type { Files } from '../../../host/linux/files.ts';

/** Processes that are recording from a sound card. null: ALSA is missing. */
export function captureOwners(files: Files): number[] | null {
  if (!files.exists('/proc/asound')) return null;
  const owners = new Set<number>();
  for (const card of files.list('/proc/asound').filter((name) => /^card\d+$/.test(name))) {
    for (const stream of files.list(`/proc/asound/${card}`).filter((name) => /^pcm\d+c$/.test(name))) {
      for (const part of files.list(`/proc/asound/${card}/${stream}`).filter((name) => /^sub\d+$/.test(name))) {
        const owner = parseOwner(files.text(`/proc/asound/${card}/${stream}/${part}/status`) ?? '');
        if (owner !== null) owners.add(owner);
      }
    }
  }
  return [...owners];
}

/** `closed`, or lines such as `state: RUNNING` and `owner_pid   : 1234`. */
export function parseOwner(status: string): number | null {
  if (!/^state:\s*RUNNING/m.test(status)) return null;
  const owner = Number(/^owner_pid\s*:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  return owner > 0 ? owner : null;
}
