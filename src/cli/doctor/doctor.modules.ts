import type { Availability, ModuleState } from '../../core/store.ts';

/** A module, and below it why its fields are null. `!` marks what the user can change. */
export function moduleLines({ name, availability, reasons }: ModuleState): string[] {
  const sentences = new Map<string, { fields: string[]; mendable: boolean }>();
  for (const { field, reason, mendable } of reasons) {
    const { fields } = sentences.get(reason) ?? { fields: [] };
    sentences.set(reason, { fields: [...fields, field ?? name], mendable });
  }
  return [
    mark(marks[availability], name, availability),
    ...[...sentences].map(
      ([reason, { fields, mendable }]) => `      ${mendable ? '!' : '·'} ${fields.join(', ')}: ${reason}`,
    ),
  ];
}

const marks: Record<Availability, string> = { available: '✓', degraded: '!', unavailable: '✗' };

export const mark = (sign: string, name: string, text: string) => `  ${sign} ${name.padEnd(20)} ${text}`;
