import type { CommandContext } from '../../core/command.ts';
import { readAudit } from './power.audit.ts';

export function printOrders({ host, print, table, answer }: CommandContext): void {
  const lines = readAudit(host);
  const rows = lines.map(({ time, verb, token, address, outcome }) => [time, verb, token, address, outcome]);
  answer(lines, () =>
    rows.length === 0 ? print('No power orders yet') : table(['TIME', 'ORDER', 'TOKEN', 'FROM', 'OUTCOME'], rows),
  );
}
