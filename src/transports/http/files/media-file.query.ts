/** One reading of the query. null: missing or empty. */
export interface MediaFileQuery {
  token: string | null;
  base: string | null;
  path: string | null;
}

/**
 * Every reading of the query, best first, without duplicates. Some clients encode nothing: for them `+`, `%`
 * and, if the path comes last, `&` are literal. The first of repeated parameters counts.
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

/** A ticket replaces all other parameters; null: the query has none. */
export const ticketIn = (rawQuery: string): string | null => /^ticket=([\w-]+)$/.exec(rawQuery)?.[1] ?? null;

const names = ['token', 'base', 'path'] as const;
/** The client is not authenticated yet: further parameters are not parsed and belong to the last one. */
const mostParameters = 32;
/** A parameter name with every character encoded. */
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

/** The path with the ampersands after it; null: none, or another known parameter follows. */
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

/** Bytes that are not UTF-8 were not encoded: `100%cent` is literal, as is a single percent sign. */
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
