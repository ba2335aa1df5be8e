import type { GuardedResult } from '../../../lib/hang-guard.ts';
import type { InterfaceAddress } from '../../network.ts';
import type { Space } from '../../volumes.ts';

/** The recorded answers of a machine. Paths are those of the machine. */
export interface Recording {
  files: Map<string, Buffer>;
  /** Changes in the second sample, for rates. */
  later: Map<string, Buffer>;
  directories: Map<string, string[]>;
  links: Map<string, string>;
  /** Requested and existing, whether or not they were read. */
  present: Set<string>;
  /** Existing, but not readable. */
  denied: Set<string>;
  /** Unix milliseconds. */
  modified: Map<string, number>;
  answers: Map<string, BusReply>;
  volumes: Map<string, GuardedResult<Space>>;
  network: InterfaceAddress[];
  searchDomains: string[];
  about: MachineFacts;
}

export type BusReply = { body: unknown[] } | { error: string; message: string };

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
/** The content of `recording.json`: everything that is not a separate file. */
export interface RecordingIndex {
  recording: 1;
  hostler: string;
  directories: Record<string, string[]>;
  links: Record<string, string>;
  present: string[];
  denied: string[];
  modified: Record<string, number>;
  answers: Record<string, BusReply>;
  volumes: Record<string, GuardedResult<Space>>;
  searchDomains: string[];
  /** Files whose names are not valid on every system, with their content in base64. */
  oddFiles: Record<string, string>;
  oddLater: Record<string, string>;
}

/** Characters that some systems do not allow in file names, so that a repository with them could not be checked out. */
export const hasOddName = (file: string) => /[\\:*?"<>|\p{Cc}]|[ .](\/|$)/u.test(file);
