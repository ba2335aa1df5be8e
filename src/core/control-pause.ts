import path from 'node:path';
import type { Host } from '../host/host.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import { createListeners } from '../lib/listeners.ts';
import type { Log } from '../lib/log.ts';
import { ownCommand } from '../lib/own-command.ts';
import { hasFields, objectIn } from '../lib/values.ts';

/** While control is paused, actions are refused and reading still works. */
export interface PausedControl {
  /** Unix milliseconds. */
  since: number;
  /** Unix milliseconds; null: until it is resumed. */
  until: number | null;
  /** The name of the token it was paused with. */
  by: string;
}

export interface Pausable {
  effect: 'read' | 'write' | 'disrupt';
  duringPause?: boolean;
}

const fileName = 'control-paused.json';

export type ControlPause = ReturnType<typeof createControlPause>;

/**
 * It survives a restart, which would otherwise end it: the file is read before any client can connect, and counts as a pause if it cannot be read. No timer
 * runs: the end is computed on each check.
 */
export function createControlPause(
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  log: Pick<Log, 'warn'>,
) {
  const file = path.join(paths.state, fileName);
  const listeners = createListeners();

  const read = (explain: (problem: string) => void = () => {}): PausedControl | null => {
    try {
      return parsePause(storage.read(file));
    } catch (error) {
      explain(`control: paused, because ${file} cannot be read: ${messageOf(error)}`);
      return unreadable;
    }
  };

  let known = read(log.warn);

  /** Why it failed, for example on a full disk; null: saved. */
  const save = (next: PausedControl | null): string | null => {
    try {
      if (next === null) storage.remove(file);
      else {
        storage.prepareDirectory(paths.state);
        storage.write(file, `${JSON.stringify(next)}\n`);
      }
      return null;
    } catch (error) {
      log.warn(`control: ${file} cannot be written: ${messageOf(error)}`);
      return messageOf(error);
    }
  };

  const set = (next: PausedControl | null): string | null => {
    known = next;
    const unsaved = save(next);
    listeners.announce();
    return unsaved;
  };

  const current = (): PausedControl | null => {
    if (known === unreadable) known = read();
    return known !== null && (known.until === null || known.until > clock.now()) ? known : null;
  };

  return {
    /** null: control is not paused. */
    current,
    /** `seconds` null: until it is resumed. `unsaved`: why the pause ends with the service; null: it survives a restart. */
    pause(seconds: number | null, by: string): { paused: PausedControl; unsaved: string | null } {
      const since = clock.now();
      const paused = { since, until: seconds === null ? null : since + seconds * 1000, by };
      return { paused, unsaved: set(paused) };
    },
    /** false: it was not paused. */
    resume(): boolean {
      const wasPaused = current() !== null;
      set(null);
      return wasPaused;
    },
    /** Called after each pause and resume. Nothing announces the end of a timed pause. Returns the function that stops it. */
    onChange: listeners.add,
  };
}

/** Why this action is refused now; null: it is allowed. */
export function pauseOf(pause: Pick<ControlPause, 'current'>, action: Pausable): string | null {
  if (action.duringPause ?? action.effect === 'read') return null;
  const paused = pause.current();
  return paused === null ? null : pauseSentence(paused);
}

export function refuseWhilePaused(pause: Pick<ControlPause, 'current'>, action: Pausable): void {
  const sentence = pauseOf(pause, action);
  if (sentence !== null) throw new ServiceError('conflict', sentence);
}

export function pauseSentence({ until, by }: PausedControl): string {
  const end = until === null ? 'until it is resumed' : `until ${new Date(until).toISOString()}`;
  return `Control is paused ${end} (paused with the token ${JSON.stringify(by)}): nothing is changed on this machine meanwhile. Resume it in the dashboard under Access, or with "${ownCommand('control resume')}"`;
}

const unreadable: PausedControl = { since: 0, until: null, by: 'unknown' };

/** null: there is no file. Throws if it is damaged. */
function parsePause(text: string | null): PausedControl | null {
  if (text === null) return null;
  const value = objectIn(text);
  if (!hasFields(value, { since: 'number' })) throw new Error('it is damaged');
  const { since, until, by } = value;
  if (until !== null && typeof until !== 'number') throw new Error('it is damaged');
  return { since, until, by: typeof by === 'string' ? by.slice(0, 64) : '' };
}
