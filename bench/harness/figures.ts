import os from 'node:os';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** `3.2 (3.0-3.9)`: median, smallest, largest. */
export function spread(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    value.toFixed(digits),
  );
  return `${middle} (${least}-${most})`;
}

/** The median of the quotients of the rounds: other load on the machine affects both values of a round. */
export function ratio(values: readonly number[], floor: readonly number[]): number {
  return median(values.map((value, round) => value / (floor[round] ?? Number.NaN)));
}

export const verdict = (reached: boolean) => (reached ? 'yes' : '**no**');

/** A heading with where and when, then a Markdown table. */
export function printTable(title: string, columns: string[], rows: string[][]): void {
  const cores = os.cpus().length;
  const where = `${os.type()} ${os.release()}, ${os.arch()}, ${cores} cores, Bun ${Bun.version}`;
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`\n### ${title}\n\n${new Date().toISOString().slice(0, 10)}, ${where}\n\n${lines.join('\n')}\n`);
}

/** How much larger than 1. */
export function percent(factor: number): string {
  return `${factor >= 1 ? '+' : ''}${((factor - 1) * 100).toFixed(1)} %`;
}
