import type { GuardedAnswer } from '../../../lib/hang-guard.ts';
import type { InterfaceAddress } from '../../network.ts';
import type { Space } from '../../volumes.ts';

/** What a machine told while it was recorded. Paths are those of the machine itself. */
export interface Recording {
  files: Map<string, Buffer>;
  /** What had changed by the second look, for rates. */
  later: Map<string, Buffer>;
  directories: Map<string, string[]>;
  links: Map<string, string>;
  /** Asked for, and there, whether or not they were read. */
  present: Set<string>;
  /** There, but not for us to read. */
  denied: Set<string>;
  /** Unix milliseconds. */
  modified: Map<string, number>;
  answers: Map<string, BusAnswer>;
  volumes: Map<string, GuardedAnswer<Space>>;
  network: InterfaceAddress[];
  searchDomains: string[];
  about: MachineFacts;
}

export type BusAnswer = { body: unknown[] } | { error: string; message: string };

export interface MachineFacts {
  hostname: string;
  kernel: string;
  machine: string;
  home: string;
  uid: number;
  userName: string;
  /** When it was recorded, as an ISO time. */
  now: string;
}

export const recordingFile = 'recording.json';
/** Everything of `recording.json` that is not a plain file beside it. */
export interface RecordingIndex {
  /** Of the form of this file. */
  recording: 1;
  hostler: string;
  directories: Record<string, string[]>;
  links: Record<string, string>;
  present: string[];
  denied: string[];
  modified: Record<string, number>;
  answers: Record<string, BusAnswer>;
  volumes: Record<string, GuardedAnswer<Space>>;
  searchDomains: string[];
  /** Names that not every system can have, and what they hold, as base64. */
  oddFiles: Record<string, string>;
  oddLater: Record<string, string>;
}

/** Some systems cannot have these in the name of a file, so that a repository with them could not be checked out there. */
export const hasOddName = (file: string) => /[\\:*?"<>|\p{Cc}]|[ .](\/|$)/u.test(file);
