/** One way to understand the query. null: not there, or empty. */
export interface MediaFileQuery {
  token: string | null;
  base: string | null;
  path: string | null;
}

/**
 * Every way to understand the query, best first, no two the same. There are clients that encode nothing: for them `+`, `%`
 * and, where the path comes last, `&` stand for themselves. Of a parameter that is sent twice the first counts.
 */
export function* readingsOf(rawQuery: string): Generator<MediaFileQuery> {
  const apart = parametersOf(rawQuery);
  const given = new Set<string>();
  for (const query of [apart, pathToTheEnd(apart)]) {
    if (query === null) continue;
    for (const decode of [formDecoded, percentDecoded, asItIs]) {
      const reading = read(query, decode);
      const key = JSON.stringify(reading);
      if (!given.has(key)) yield reading;
      given.add(key);
    }
  }
}

/** A ticket stands alone, in place of everything else; null: the query has none. */
export const ticketIn = (rawQuery: string): string | null => /^ticket=([\w-]+)$/.exec(rawQuery)?.[1] ?? null;

const names = ['token', 'base', 'path'] as const;
/** Whoever asks has shown no token yet: thousands of parameters are not looked at. What comes after is part of the last one. */
const mostParameters = 32;
/** Every character of a name of ours encoded. */
const longestName = 15;

function parametersOf(rawQuery: string): string[] {
  const parameters = rawQuery.split('&', mostParameters);
  const length = parameters.reduce((sum, parameter) => sum + parameter.length + 1, 0) - 1;
  parameters.push(`${parameters.pop() ?? ''}${rawQuery.slice(length)}`);
  return parameters;
}

function read(query: string[], decode: (text: string) => string): MediaFileQuery {
  const reading: MediaFileQuery = { token: null, base: null, path: null };
  for (const parameter of query) {
    const [key, value] = cut(parameter);
    if (key.length > longestName) continue;
    const decoded = decode(key);
    const name = names.find((known) => known === decoded);
    if (name !== undefined) reading[name] ??= decode(value) || null;
  }
  return reading;
}

/** The path together with the ampersands after it; null when there are none, or another parameter of ours follows. */
function pathToTheEnd(query: string[]): string[] | null {
  const at = query.findIndex((parameter) => cut(parameter)[0] === 'path');
  const rest = query.slice(at + 1);
  if (
    at === -1 ||
    rest.length === 0 ||
    rest.some((parameter) => names.some((name) => parameter.startsWith(`${name}=`)))
  )
    return null;
  return [...query.slice(0, at), query.slice(at).join('&')];
}

function cut(parameter: string): [key: string, value: string] {
  const equals = parameter.indexOf('=');
  return equals === -1 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
}

const formDecoded = (text: string) => percentDecoded(text.replaceAll('+', ' '));
const asItIs = (text: string) => text;

/** Bytes that are no character in UTF-8 were not encoded: `100%cent` stands for itself, as does a percent sign alone. */
function percentDecoded(text: string): string {
  return text.replace(encodedCharacter, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

const encodedCharacter =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;
