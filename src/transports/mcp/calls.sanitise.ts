/** Names, titles and paths are untrusted: agents get them as plain text of bounded length. */
export interface TextLimits {
  longTexts: ReadonlySet<string>;
}

const maxTitle = 200;
const maxPath = 512;
const maxLong = 8000;

const noLongTexts: TextLimits = { longTexts: new Set() };

/** A JSON value with every text sanitised. */
export function sanitise(value: unknown, limits: TextLimits = noLongTexts, key = ''): unknown {
  if (typeof value === 'string')
    return limits.longTexts.has(key) ? safeText(value) : safeLine(value, limitOf(key, value));
  if (Array.isArray(value)) return value.map((entry) => sanitise(entry, limits, key));
  if (typeof value !== 'object' || value === null) return value;
  const safe: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== undefined) safe[safeLine(name, maxTitle)] = sanitise(inner, limits, name);
  }
  return safe;
}

export function safeLine(text: string, limit = maxPath): string {
  if (text.length <= limit && plain.test(text)) return text;
  // Cut before the work: the length is untrusted. Four times the limit, because much may be removed.
  return clip(
    withoutTraps(text.slice(0, limit * 4))
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** Several lines; of a long text the end, where programs report their result. */
export function safeText(text: string): string {
  const lines = withoutTraps(text.slice(-maxLong * 2)).split('\n');
  const kept = lines.map((line) => line.trimEnd()).join('\n');
  return kept.length <= maxLong ? kept : `…${kept.slice(-maxLong + 1).toWellFormed()}`;
}

/** Our own explanations may be longer than a title. */
function limitOf(key: string, text: string): number {
  return key === 'reason' || key === 'description' || /[/\\]/.test(text) ? maxPath : maxTitle;
}

const plain = /^[\x20-\x7e]*$/;

function withoutTraps(text: string): string {
  return text
    .toWellFormed()
    .replace(escapeSequences, '')
    .replace(invisible, '')
    .replace(controls, (character) => (character === '\n' || character === '\t' ? character : ' '))
    .normalize('NFC');
}

/** ECMA-48: control sequences, strings up to their terminator, and short escapes; introduced by ESC or a C1 code. */
const escapeSequences = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`\x1b[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/** Invisible characters: zero-width, bidi, fillers, variation selectors, the tag block, annotation marks. */
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Multi-line texts keep line breaks and tabs. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

function clip(text: string, limit: number): string {
  // Cutting may leave half a surrogate pair.
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
