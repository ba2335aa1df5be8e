import type { CommandContext } from '../../core/command.ts';
import { readAudit } from './power.audit.ts';

export function printOrders({ host, print, table }: CommandContext, { json = false }: { json?: boolean }): void {
  const lines = readAudit(host);
  if (json) return print(JSON.stringify(lines, null, 2));
  if (lines.length === 0) return print('No power orders yet');
  table(
    ['TIME', 'ORDER', 'TOKEN', 'FROM', 'OUTCOME'],
    lines.map(({ time, verb, token, address, outcome }) => [time, verb, token, address, outcome]),
  );
}
