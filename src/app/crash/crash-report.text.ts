import { bytesInWords, durationInWords } from '../../lib/units.ts';

/** What is known when a bug ends the service. It contains no settings, tokens, environment or arguments. */
export interface CrashFacts {
  version: string;
  /** Unix milliseconds. */
  at: number;
  /** How long it ran, seconds. */
  ran: number;
  /** "linux x86_64, kernel 6.1.0-13-amd64" */
  machine: string;
  runtime: string;
  memoryBytes: number;
  /** The unhandled error: uncaughtException or unhandledRejection. */
  kind: string;
  error: unknown;
  logLines: readonly string[];
  /** Secrets to remove, wherever they occur. */
  secrets: readonly string[];
  home: string;
  userName: string;
}

/** A report for developers. The user reads it before sending it. */
export function crashReportText(facts: CrashFacts): string {
  const clean = (text: string) => withoutSecrets(text, facts);
  const lines = [
    `Hostler ${facts.version} crashed at ${new Date(facts.at).toISOString()}, after ${durationInWords(facts.ran)}.`,
    'Read this before you send it: possible secrets were removed, but it may name files, programs and machines.',
    '',
    `Machine: ${facts.machine}`,
    `Runtime: ${facts.runtime}`,
    `Memory: ${bytesInWords(facts.memoryBytes)}`,
    `Kind: ${facts.kind}`,
    '',
    ...errorLines(facts.error, clean),
    '',
    'The last lines of the log:',
    ...facts.logLines.slice(-mostLogLines).map((line) => cut(clean(line), longestLine)),
  ];
  return `${cut(lines.join('\n'), longestReport)}\n`;
}

const mostLogLines = 20;
const longestLine = 300;
const longestReport = 32_000;
const mostFrames = 40;
const deepestCause = 3;

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text);

function errorLines(error: unknown, clean: (text: string) => string, depth = 0): string[] {
  // Anything can be thrown; the content of other values is not included.
  if (!(error instanceof Error)) return [`A value that is not an Error was thrown: ${typeof error}`];
  const { name, message, stack = '', cause } = error;
  const frames = stack
    .split('\n')
    .filter((line) => frame.test(line))
    .slice(0, mostFrames)
    .map((line) => cut(clean(shortFrame(line)), longestLine));
  return [
    cut(clean(`${depth === 0 ? '' : 'Caused by '}${name}: ${message.replace(/\s+/g, ' ')}`), 2 * longestLine),
    ...frames,
    ...(cause === undefined || depth >= deepestCause ? [] : errorLines(cause, clean, depth + 1)),
  ];
}

const frame = /^\s*at .*\S/;

/** The place in our sources without the directory they are in, which may name the user. */
function shortFrame(line: string): string {
  const [, before = '', place = '', after = ''] = /^(\s*at (?:.*? \()?)(.*?)((?::\d+){0,2}\)?)$/.exec(line) ?? [];
  const parts = place.split(/[\\/]/);
  const known = parts.findLastIndex((part) => part === 'src' || part === 'node_modules');
  return `${before}${parts.slice(known === -1 ? -1 : known).join('/')}${after}`;
}

/** Letters and digits without a word between them, as in tokens, keys and codes; some names match too, which does no harm. */
const secretLike = /[\w+/=.~-]{20,}/g;

function withoutSecrets(text: string, { secrets, home, userName }: CrashFacts): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[secret]');
  if (home.length > 1) clean = clean.replaceAll(home, '~');
  if (userName.length > 2) clean = clean.replaceAll(userName, '[user]');
  return clean
    .replace(controls, ' ')
    .replace(/(\w:\/\/)[^\s/@"']+@/g, '$1[secret]@')
    .replace(/(https?:\/\/[^\s/"']+\/)[^\s"']+/g, '$1[path]')
    .replace(/\?[^\s"']+/g, '?[query]')
    .replace(named, '$1[secret]')
    .replace(secretLike, (word) => (isOrdinary(word) ? word : '[secret]'));
}

/** A value after a name that says what it is, however short. */
const named =
  /((?:authorization|passw(?:or)?d|passphrase|secret|token|api[-_]?key|cookie)["']?\s*[:=]\s*(?:(?:bearer|basic)\s+)?)[^\s,;]+/gi;

/** They would control the terminal of the reader. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Some programs have tokens of this form. */
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Lower case, upper case and digits in one part, as base64 has them: its own signs may cut it into short parts. */
const mixed = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+]{6,}$/;

/** Paths, addresses, times and words joined by signs: no part of them is long and mixed. */
function isOrdinary(word: string): boolean {
  if (uuid.test(word)) return false;
  return word
    .split(/[/.~=-]|__/)
    .every((part) => (part.length < 16 && !mixed.test(part)) || /^[a-z]+$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(part));
}
