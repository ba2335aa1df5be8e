/**
 * Which of two versions of an Arch package is newer, `[epoch:]version[-release]`. https://man.archlinux.org/man/vercmp.8
 * A release counts only where both have one.
 */
export function compareAlpmVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = partsOf(a);
  const right = partsOf(b);
  const difference = compareSegments(left.epoch, right.epoch) || compareSegments(left.version, right.version);
  if (difference !== 0 || left.release === null || right.release === null) return difference;
  return compareSegments(left.release, right.release);
}

function partsOf(text: string): { epoch: string; version: string; release: string | null } {
  const [, epoch = '0', rest = ''] = /^(?:(\d*):)?(.*)$/s.exec(text) ?? [];
  const dash = rest.lastIndexOf('-');
  return {
    epoch: epoch === '' ? '0' : epoch,
    version: dash === -1 ? rest : rest.slice(0, dash),
    release: dash === -1 ? null : rest.slice(dash + 1),
  };
}

/** By turns, as rpm began it: numbers are newer than letters, and what goes on with letters is older than what ends. */
function compareSegments(a: string, b: string): number {
  if (a === b) return 0;
  let one = a;
  let two = b;
  while (one !== '' && two !== '') {
    const left = separated(one);
    const right = separated(two);
    one = left.rest;
    two = right.rest;
    if (one === '' || two === '') break;
    if (left.skipped !== right.skipped) return left.skipped - right.skipped;
    const isNumber = /^\d/.test(one);
    const segment = isNumber ? /^\d+/ : /^[A-Za-z]+/;
    const mine = segment.exec(one)?.[0] ?? '';
    const other = segment.exec(two)?.[0] ?? '';
    if (other === '') return isNumber ? 1 : -1;
    const difference = isNumber ? compareNumbers(mine, other) : mine < other ? -1 : mine > other ? 1 : 0;
    if (difference !== 0) return difference;
    one = one.slice(mine.length);
    two = two.slice(other.length);
  }
  if (one === '' && two === '') return 0;
  // Letters left over mean a beta or the like: older than the version itself.
  const left = /^[A-Za-z]/.test(one);
  const right = /^[A-Za-z]/.test(two);
  return (one === '' && !right) || left ? -1 : 1;
}

function separated(text: string): { skipped: number; rest: string } {
  const skipped = /^[^A-Za-z0-9]*/.exec(text)?.[0].length ?? 0;
  return { skipped, rest: text.slice(skipped) };
}

function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, '');
  const right = b.replace(/^0+/, '');
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}
