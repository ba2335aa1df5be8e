import type { ActionState } from '../../core/action-state.ts';

/** Whether an action works here, or why not. */
export type CheckedAction = Pick<ActionState, 'name' | 'available' | 'reason'>;

/** What works in one paragraph, and each reason once, with all actions it affects. */
export function actionLines(states: readonly CheckedAction[], width: number): string[] {
  const works = states.filter(({ available }) => available).map(({ name }) => name);
  const reasons = new Map<string, string[]>();
  for (const { name, available, reason } of states) {
    if (available) continue;
    const sentence = withoutName(name, reason ?? 'unavailable');
    reasons.set(sentence, [...(reasons.get(sentence) ?? []), name]);
  }
  return [
    ...paragraph('  ✓ ', works, width),
    ...[...reasons].flatMap(([sentence, names]) => [...paragraph('  ✗ ', names, width), `      ${sentence}`]),
  ];
}

/** Several actions may have the same reason except for the name at its beginning. */
function withoutName(name: string, reason: string): string {
  const prefix = `${name} is not supported here: `;
  if (!reason.startsWith(prefix)) return reason;
  const rest = reason.slice(prefix.length);
  return `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
}

/** Lines of at most this width, the later ones aligned with the text of the first. */
function paragraph(start: string, words: readonly string[], width: number): string[] {
  if (words.length === 0) return [];
  const lines: string[] = [];
  let line = start;
  for (const [index, word] of words.entries()) {
    const text = index === words.length - 1 ? word : `${word},`;
    const isFirst = line.trim() === start.trim() || line.trim() === '';
    if (!isFirst && line.length + 1 + text.length > width) {
      lines.push(line);
      line = `${' '.repeat(start.length)}${text}`;
    } else line += isFirst ? text : ` ${text}`;
  }
  return [...lines, line];
}
