import path from 'node:path';
import { type AuditEntry, auditFile } from '../access/audit.ts';
import type { CliContext } from './context.ts';
import { table } from './output.ts';

type Line = AuditEntry & { time: string };

const shown = 200;

/** What agents did, the latest last. */
export function printAgentLog({ host, print }: CliContext, { json = false }: { json?: boolean }): void {
  const text = host.storage.read(path.join(host.paths.state, auditFile)) ?? '';
  const lines = text.split('\n').flatMap(parseLine);
  if (json) return print(JSON.stringify(lines, null, 2));
  if (lines.length === 0) return print('No agent did anything yet');
  print(
    table(
      ['TIME', 'AGENT', 'TOKEN', 'TOOL', 'ARGUMENTS', 'OUTCOME'],
      lines
        .slice(-shown)
        .map(({ time, client, token, tool, arguments: given, decision }) => [
          time,
          client,
          token,
          tool,
          JSON.stringify(given ?? {}).slice(0, 80),
          decision,
        ]),
    ),
  );
}

/** A line that was cut off, say by a full disk, tells nothing. */
function parseLine(line: string): Line[] {
  try {
    // Written by our own service.
    return line === '' ? [] : [JSON.parse(line) as Line];
  } catch {
    return [];
  }
}
