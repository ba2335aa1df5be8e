/** Words for the same thing: titles and descriptions use one of each row. */
const synonyms: readonly (readonly string[])[] = [
  ['processor', 'cpu', 'cores'],
  ['memory', 'ram', 'swap'],
  ['disk', 'drive', 'storage', 'ssd', 'hdd'],
  ['space', 'full', 'free'],
  ['tls', 'https', 'ssl', 'certificate', 'encrypted'],
  ['token', 'password', 'permission', 'access', 'login'],
  ['graphics', 'gpu', 'video'],
  ['temperature', 'heat', 'hot', 'fan', 'thermal'],
  ['network', 'internet', 'wifi', 'wi-fi', 'wlan', 'ethernet', 'traffic'],
  ['sound', 'audio', 'volume', 'speaker', 'loud'],
  ['display', 'screen', 'monitor', 'brightness'],
  ['update', 'upgrade', 'package', 'patch'],
  ['alert', 'warning', 'alarm', 'notification', 'notify'],
  ['shut down', 'shutdown', 'power', 'turn', 'off', 'halt'],
  ['restart', 'reboot'],
  ['sleep', 'suspend', 'standby'],
  ['container', 'docker', 'podman'],
  ['service', 'systemd', 'daemon', 'unit'],
  ['agent', 'mcp', 'ai', 'assistant'],
  ['process', 'task', 'program'],
  ['setting', 'option', 'preference', 'configuration', 'config'],
  ['interval', 'seconds', 'frequency', 'often'],
  ['dark', 'theme', 'appearance', 'light'],
  ['phone', 'tablet', 'mobile', 'smartphone'],
  ['safe', 'secure', 'security', 'firewall', 'virus', 'hacked'],
];

/** Shorter words would stand for too much. */
const shortest = 3;

/** How well a text matches: 0 has a word that begins with each of these, 1 needed a synonym, null does not match. */
export function matchOf(text: string, words: readonly string[]): 0 | 1 | null {
  const has = (word: string) => isIn(text, word, () => true);
  // Of a synonym the whole word: "hot" is not in "hotkeys".
  const hasSynonym = (term: string) => isIn(text, term, (end) => /^(?:e?s)?(?:\W|$)/.test(text.slice(end)));
  if (words.every(has)) return 0;
  return words.every((word) => has(word) || synonymsOf(word).some(hasSynonym)) ? 1 : null;
}

/** Whether `term` occurs where a word begins. */
function isIn(text: string, term: string, isEnd: (end: number) => boolean): boolean {
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1))
    if (!/[a-z0-9]/.test(text[at - 1] ?? ' ') && isEnd(at + term.length)) return true;
  return false;
}

/** `https` → tls, ssl, certificate …; also for the beginning of a word and for its plural. */
export function synonymsOf(word: string): string[] {
  if (word.length < shortest) return [];
  const isSame = (each: string) => each.startsWith(word) || word === `${each}s`;
  return synonyms.flatMap((row) => (row.some(isSame) ? row : []));
}

export const wordsOf = (wanted: string): string[] => wanted.toLowerCase().split(/\s+/).filter(Boolean);
