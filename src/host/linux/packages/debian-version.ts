/**
 * Which of two versions of a Debian package is newer: below zero, zero, above zero as for sorting.
 * https://www.debian.org/doc/debian-policy/ch-controlfields.html#version
 */
export function compareDebianVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = partsOf(a);
  const right = partsOf(b);
  return (
    left.epoch - right.epoch ||
    compareParts(left.upstream, right.upstream) ||
    compareParts(left.revision, right.revision)
  );
}

function partsOf(version: string) {
  const colon = version.indexOf(':');
  const epoch = colon > 0 ? Number(version.slice(0, colon)) || 0 : 0;
  const rest = colon > 0 ? version.slice(colon + 1) : version;
  const dash = rest.lastIndexOf('-');
  // No revision is the same as revision 0, which an empty text is by the rules below.
  return {
    epoch,
    upstream: dash === -1 ? rest : rest.slice(0, dash),
    revision: dash === -1 ? '' : rest.slice(dash + 1),
  };
}

/** By turns a stretch without digits and a number. */
function compareParts(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a, i)) || (j < b.length && !isDigit(b, j))) {
      const difference = rankAt(a, i) - rankAt(b, j);
      if (difference !== 0) return difference;
      i += 1;
      j += 1;
    }
    const left = numberAt(a, i);
    const right = numberAt(b, j);
    if (left.digits.length !== right.digits.length) return left.digits.length - right.digits.length;
    if (left.digits !== right.digits) return left.digits < right.digits ? -1 : 1;
    i = left.end;
    j = right.end;
  }
  return 0;
}

const isDigit = (text: string, at: number) => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

/** A tilde comes before everything, even the end; then the end and digits, letters, and the rest. */
function rankAt(text: string, at: number): number {
  if (at >= text.length || isDigit(text, at)) return 0;
  const code = text.charCodeAt(at);
  if (code === 0x7e) return -1;
  return /[A-Za-z]/.test(text.charAt(at)) ? code : code + 256;
}

/** Digits without leading zeros: numbers may be longer than ours are exact. */
function numberAt(text: string, start: number): { digits: string; end: number } {
  let first = start;
  while (text[first] === '0') first += 1;
  let end = first;
  while (end < text.length && isDigit(text, end)) end += 1;
  return { digits: text.slice(first, end), end };
}
