/**
 * Which commit each branch of a remote has: a GVariant of the type `(a(s(taya{sv}))a{sv})`. Only its frames are looked at.
 * https://ostreedev.github.io/ostree/repo/#the-summary-file
 */
export function parseSummary(bytes: Uint8Array): Map<string, string> {
  const commits = new Map<string, string>();
  // The first member of a pair ends where the last word says.
  const refs = bytes.subarray(0, offsetAt(bytes, bytes.length - wordOf(bytes.length), wordOf(bytes.length)));
  if (refs.length === 0) return commits;
  const word = wordOf(refs.length);
  const table = offsetAt(refs, refs.length - word, word);
  let start = 0;
  for (let at = table; at < refs.length; at += word) {
    const end = offsetAt(refs, at, word);
    if (end < start || end > table) throw new Error('its frames are damaged');
    const [name, commit] = parseRef(refs.subarray(start, end));
    commits.set(name, commit);
    start = aligned(end);
  }
  return commits;
}

/** `(s(taya{sv}))` */
function parseRef(bytes: Uint8Array): [name: string, commit: string] {
  const word = wordOf(bytes.length);
  const nameEnd = offsetAt(bytes, bytes.length - word, word);
  const about = bytes.subarray(aligned(nameEnd), bytes.length - word);
  const inner = wordOf(about.length);
  const commitEnd = offsetAt(about, about.length - inner, inner);
  return [
    Buffer.from(bytes.subarray(0, Math.max(0, nameEnd - 1))).toString('utf8'),
    Buffer.from(about.subarray(8, commitEnd)).toString('hex'),
  ];
}

const aligned = (at: number) => Math.ceil(at / 8) * 8;

/** Offsets are as wide as the length of what they lie in asks for. */
const wordOf = (length: number) => (length <= 0xff ? 1 : length <= 0xffff ? 2 : 4);

function offsetAt(bytes: Uint8Array, at: number, word: number): number {
  if (at < 0 || at + word > bytes.length) throw new Error('its frames are damaged');
  let value = 0;
  for (let index = word - 1; index >= 0; index -= 1) value = value * 256 + (bytes[at + index] ?? 0);
  if (value > bytes.length) throw new Error('its frames are damaged');
  return value;
}
