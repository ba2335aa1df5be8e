/** Names in a sentence; of many only the first. */
export function several(names: readonly string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} others`;
}
