/** Identifies the current state of a file. */
export interface Validators {
  /** Strong, with its quotes. */
  etag: string;
  /** Unix milliseconds. */
  modifiedMs: number;
}

/** Bytes from `start` up to `end`; `unsatisfiable`: the requested bytes do not exist; null: the whole file. */
export type Selection = { start: number; end: number } | 'unsatisfiable' | null;

/**
 * RFC 9110, 14.2. One range is served; several ranges, other units and invalid ranges get the whole file, as the RFC allows.
 * Spaces are accepted outside the grammar because the runtime accepts them too, and would select a range that is not selected here.
 */
export function selectRange(range: string | null, size: number): Selection {
  const [, list] = /^\s*bytes\s*=(.*)$/i.exec(range ?? '') ?? [];
  // An empty file has no range, and clients that always request one still expect the file.
  if (list === undefined || size === 0) return null;
  const [only = '', ...others] = list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const [, first, last] = /^(\d*)\s*-\s*(\d*)$/.exec(only) ?? [];
  if (others.length > 0 || first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Number(last);
    return length === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(first);
  // The runtime's order: 10-2 of ten bytes is invalid, but the runtime would report that it starts beyond the end.
  if (start >= size) return 'unsatisfiable';
  if (last !== '' && Number(last) < start) return null;
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** Whether If-Range permits the range: only if the client's part has the same file state. */
export function rangeApplies(ifRange: string | null, { etag, modifiedMs }: Validators): boolean {
  if (ifRange === null) return true;
  return ifRange.trim() === etag || seconds(ifRange) === Math.floor(modifiedMs / 1000);
}

/** RFC 9110, 13.2.2, in its order. */
export function judgeConditions(
  headers: Headers,
  { etag, modifiedMs }: Validators,
): 'proceed' | 'not_modified' | 'failed' {
  const modified = Math.floor(modifiedMs / 1000);
  const ifMatch = headers.get('if-match');
  if (ifMatch !== null) {
    if (!lists(ifMatch, (tag) => tag === etag)) return 'failed';
  } else if (modified > (seconds(headers.get('if-unmodified-since')) ?? Number.POSITIVE_INFINITY)) return 'failed';
  const ifNoneMatch = headers.get('if-none-match');
  const unchanged =
    ifNoneMatch === null
      ? modified <= (seconds(headers.get('if-modified-since')) ?? Number.NEGATIVE_INFINITY)
      : lists(ifNoneMatch, (tag) => tag.replace(/^W\//, '') === etag);
  return unchanged ? 'not_modified' : 'proceed';
}

function lists(header: string, matches: (tag: string) => boolean): boolean {
  return header.trim() === '*' || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(matches);
}

/** Unix seconds of an IMF-fixdate; other formats are ignored, which at worst sends a file again. */
function seconds(date: string | null): number | null {
  if (date === null || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date.trim())) return null;
  const parsed = Date.parse(date);
  return Number.isNaN(parsed) ? null : parsed / 1000;
}
