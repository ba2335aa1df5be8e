import { moduleStates } from '../state/live.ts';

/** Why something of a module is not known; the same sentence once. */
export function Reasons({ module, fields }: { module: string; fields?: readonly string[] }) {
  const reasons = reasonsOf(module, fields);
  if (reasons.length === 0) return null;
  return (
    <ul class="reasons">
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

export function reasonsOf(module: string, fields?: readonly string[]): string[] {
  const state = moduleStates.value.find(({ name }) => name === module);
  const wanted = state?.reasons.filter(({ field }) => fields === undefined || field === null || fields.includes(field));
  return [...new Set(wanted?.map(({ reason }) => reason))];
}
