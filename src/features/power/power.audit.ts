import path from 'node:path';
import type { Caller } from '../../core/caller.ts';
import { shownAddress } from '../../core/caller.ts';
import type { Host } from '../../host/host.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

export interface AuditLine {
  /** ISO 8601, UTC. */
  time: string;
  verb: string;
  token: string;
  address: string;
  outcome: string;
}

export type Orderer = Pick<AuditLine, 'token' | 'address'>;

export const ordererOf = ({ tokenName, connection }: Caller): Orderer => ({
  token: tokenName,
  address: shownAddress(connection().address),
});

const most = 500;
const longest = 200;
const fileOf = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'power.log');

/** Writes a line for every order to a bounded file and to the log, before the machine goes down. */
export function createPowerAudit(host: Pick<Host, 'storage' | 'paths' | 'clock'>, log: Log) {
  return {
    note(verb: string, by: Orderer, outcome: string) {
      log.info(`power: ${verb} by ${by.token} from ${by.address}: ${outcome}`);
      const line: AuditLine = {
        time: new Date(host.clock.now()).toISOString(),
        verb,
        ...by,
        outcome: outcome.slice(0, longest),
      };
      try {
        const lines = withinLimit([...readAudit(host), line]);
        host.storage.write(fileOf(host), lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
      } catch (error) {
        log.warn(`power: the order could not be written to ${fileOf(host)}: ${messageOf(error)}`);
      }
    },
  };
}

/** The most frequent kind of line loses its oldest one: a flood of orders removes itself, neither what other tokens did nor anything else of its token. */
function withinLimit(lines: AuditLine[]): AuditLine[] {
  if (lines.length <= most) return lines;
  const kindOf = ({ token, verb, outcome }: AuditLine) => JSON.stringify([token, verb, /^\w*/.exec(outcome)?.[0]]);
  const [[oldest] = []] = [...Map.groupBy(lines, kindOf).values()].toSorted((one, other) => other.length - one.length);
  return withinLimit(lines.filter((line) => line !== oldest));
}

/** The oldest first. Invalid lines are left out. */
export function readAudit(host: Pick<Host, 'storage' | 'paths'>): AuditLine[] {
  return (host.storage.read(fileOf(host)) ?? '').split('\n').flatMap((text) => {
    const line = parseLine(text);
    return line === null ? [] : [line];
  });
}

function parseLine(text: string): AuditLine | null {
  try {
    const { time, verb, token, address, outcome } = JSON.parse(text);
    const fields = [time, verb, token, address, outcome];
    return fields.every((field) => typeof field === 'string') ? { time, verb, token, address, outcome } : null;
  } catch {
    return null;
  }
}
