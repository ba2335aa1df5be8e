import path from 'node:path';
import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';

/** What an agent asked for, and what became of it. */
export interface AuditEntry {
  client: string;
  token: string;
  tool: string;
  arguments: unknown;
  /** `done`, or why not. */
  decision: string;
}

export type Audit = (entry: AuditEntry) => void;

export const auditFile = 'agents.log';
const maxBytes = 1024 * 1024;

/** One line of JSON a call, beside the tokens, so that only the owner reads it. What cannot be written is said once. */
export function createAudit(
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  complain: (sentence: string) => void,
): Audit {
  const file = path.join(paths.state, auditFile);
  let complained = false;
  return (entry) => {
    const line = JSON.stringify({ time: new Date(clock.now()).toISOString(), ...entry });
    try {
      storage.append(file, line, maxBytes);
      complained = false;
    } catch (error) {
      if (!complained) complain(`${file}: what agents did cannot be recorded: ${messageOf(error)}`);
      complained = true;
    }
  };
}
