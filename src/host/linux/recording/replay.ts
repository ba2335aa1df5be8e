import fs from 'node:fs';
import path from 'node:path';
import type { GuardedResult } from '../../../lib/hang-guard.ts';
import { isObject } from '../../../lib/values.ts';
import type { InterfaceAddress } from '../../network.ts';
import type { Space, Volumes } from '../../volumes.ts';
import type { LinuxHost } from '../linux-host.ts';
import { fromPlain, replayBus } from './record-bus.ts';
import { type BusReply, type RecordingIndex, recordingFile } from './recording.ts';
import { type PlainFiles, type ReplayedFiles, replayFiles } from './replay-files.ts';
import { unrecorded } from './unrecorded.ts';

/** A recorded machine in place of this one. Settings, ports and the clock remain those of this machine. */
export interface Replay {
  parts: typeof unrecorded & Pick<LinuxHost, 'dbus' | 'volumes' | 'network' | 'identity'> & { files: ReplayedFiles };
  facts: { hostname: string; kernel: string; machine: string };
}

/** null: this directory is a mounted machine or a tree of files, not a recording. Throws where a recording cannot be read. */
export function openReplay(directory: string | undefined): Replay | null {
  if (directory === undefined) return null;
  const file = path.join(directory, recordingFile);
  if (!fs.existsSync(file)) return null;
  const index = indexFrom(parsed(file), file);
  const about = parsed(path.join(directory, 'host.json'));
  const hostname = textOf(about.hostname, 'machine');
  const answers = new Map(
    Object.entries(index.answers).map(([key, answer]): [string, BusReply] => [
      key,
      'body' in answer ? { body: answer.body.map(fromPlain) } : answer,
    ]),
  );
  return {
    facts: { hostname, kernel: textOf(about.kernel, ''), machine: textOf(about.machine, '') },
    parts: {
      ...unrecorded,
      files: replayFiles(plainFiles(directory), plainFiles(path.join(directory, 'later')), index),
      dbus: { system: replayBus('system', answers), session: replayBus('session', answers) },
      volumes: replayVolumes(index.volumes),
      network: {
        addresses: () => (Array.isArray(about.network) ? (about.network as InterfaceAddress[]) : []),
        searchDomains: () => index.searchDomains,
      },
      identity: { hostname: () => ({ value: hostname }), sharesNames: true, sharesNetwork: true },
    },
  };
}

/** A recording is untrusted: links in it are not followed, and only regular files are opened, so that no read blocks. */
function plainFiles(root: string): PlainFiles {
  const open = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW;
  const place = (file: string) => {
    const found = path.join(root, file);
    const top = fs.realpathSync(root);
    const isInside = path.resolve(found).startsWith(path.join(path.resolve(root), path.sep));
    return isInside && fs.realpathSync(path.dirname(found)) === path.join(top, path.dirname(file)) ? found : null;
  };
  const stat = (file: string) => {
    try {
      const found = place(file);
      return found === null ? null : fs.lstatSync(found);
    } catch {
      return null;
    }
  };
  return {
    exists: (file) => stat(file) !== null,
    bytes(file) {
      if (stat(file)?.isFile() !== true) return null;
      const descriptor = fs.openSync(path.join(root, file), open);
      try {
        return fs.fstatSync(descriptor).isFile() ? fs.readFileSync(descriptor) : null;
      } finally {
        fs.closeSync(descriptor);
      }
    },
  };
}

function replayVolumes(recorded: Record<string, GuardedResult<Space>>): Volumes {
  const space = (place: string): GuardedResult<Space> =>
    (Object.hasOwn(recorded, place) ? recorded[place] : undefined) ?? { kind: 'failed', code: 'ENOENT' };
  return {
    space,
    spaceLater: async (_key, place) => space(place),
    onLate: () => () => {},
    follow: async () => () => {},
  };
}

function parsed(file: string): Record<string, unknown> {
  const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (!isObject(value)) throw new Error(`${file} is not a recording of the command "record"`);
  return value;
}

/** Written by us and reviewed by people: only its structure is checked. */
function indexFrom(value: Record<string, unknown>, file: string): RecordingIndex {
  if (value.recording !== 1)
    throw new Error(`${file} was written by another version of Hostler, whose format this version does not support`);
  const parts = ['directories', 'links', 'modified', 'answers', 'volumes', 'oddFiles', 'oddLater'];
  const lists = ['present', 'denied', 'searchDomains'];
  if (!parts.every((name) => isObject(value[name])) || !lists.every((name) => Array.isArray(value[name])))
    throw new Error(`${file} is incomplete`);
  return value as unknown as RecordingIndex;
}

const textOf = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
