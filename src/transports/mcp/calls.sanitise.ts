/** Names, titles and paths come from strangers: what agents read of them is plain text of bounded length, and nothing else. */
export interface TextLimits {
  /** Keys whose texts have several lines. */
  longTexts: ReadonlySet<string>;
}

const maxTitle = 200;
const maxPath = 512;
const maxLong = 8000;
const maxLines = 6;

const noLongTexts: TextLimits = { longTexts: new Set() };

/** A value as JSON has it, with every text in it made safe. */
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

/** One line. */
export function safeLine(text: string, limit = maxPath): string {
  if (text.length <= limit && plain.test(text)) return text;
  // Cut before the work: a stranger chose the length. Four times, because much of it may vanish.
  return clip(
    withoutTraps(text.slice(0, limit * 4))
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** The lines of a question to the user: each one safe, and no more than fit on a screen. */
export function safeLines(text: string): string {
  const lines = text.split('\n');
  const safe = lines.slice(0, maxLines).map((line) => safeLine(line));
  if (lines.length > maxLines) safe.push(`… (and ${lines.length - maxLines} more lines)`);
  return safe.join('\n');
}

/** Several lines; of a long one the end, where programs say how it went. */
export function safeText(text: string): string {
  const kept = withoutTraps(text.slice(-maxLong * 2)).replace(/[^\S\n]+$/gm, '');
  return kept.length <= maxLong ? kept : `…${kept.slice(-maxLong + 1).toWellFormed()}`;
}

/** Our own sentences about what is missing may be longer than a title. */
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

/** ECMA-48: control sequences, strings up to their end, and short escapes; begun by ESC or by a code of its own. */
const escapeSequences = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`\x1b[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/** What is read and not seen: zero-width, bidi, fillers, variation selectors, the tag block, annotation marks. */
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Line breaks and tabs stay for those who keep lines. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

function clip(text: string, limit: number): string {
  // Half a surrogate pair may be left where it is cut.
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
