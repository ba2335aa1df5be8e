import type { OpenStream } from '@hostler/io/byte-stream.ts';
import type { AlertOutcome } from '../notification.ts';
import type { TargetAddress } from './address.ts';
import type { TargetNote } from './note.ts';

/** A service that receives alerts. To add one, add a file with its definition here and its line in targets.ts. */
export interface TargetDefinition {
  /** The forms of its URL, for people. */
  form: string;
  parameters?: readonly string[];
  /** The server, which may be shown; left out: what follows `://` is a part of the secret. */
  server?(address: TargetAddress): string;
  /** Throws a sentence without the secret if the URL is incomplete. */
  open(address: TargetAddress): SendNote;
}

export type SendNote = (note: TargetNote, tools: TargetTools) => Promise<TargetAnswer>;

export interface TargetTools {
  ask(request: TargetRequest): Promise<TargetAnswer>;
  connect: OpenStream;
  /** PEM; null: the authorities of the system. */
  authorities: string | null;
  hostname: string;
  /** Template of the body, of the settings; empty: none. */
  body: string;
  signal: AbortSignal;
  timeoutMs: number;
}

export interface TargetRequest {
  method?: 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string>;
  /** Text is sent as it is, anything else as JSON. */
  body: string | object;
}

/** The outcome, and what the service answered. */
export type TargetAnswer = AlertOutcome & { answer: string };

export const defineTarget = (definition: TargetDefinition): TargetDefinition => definition;

export function refusedAnswer(error: string, answer: string): TargetAnswer {
  return { ok: false, retry: false, askedForMs: null, error, answer };
}
