/** One way to understand the query. null: not there, or empty. */
export interface Reading {
  token: string | null;
  base: string | null;
  path: string | null;
}

/**
 * Every way to understand the query, best first, no two the same. There are clients that encode nothing: for them `+`, `%`
 * and, where the path comes last, `&` stand for themselves. Of a parameter that is sent twice the first counts.
 */
export function readingsOf(rawQuery: string): Reading[] {
  const apart = rawQuery.split('&');
  const queries = [apart, pathToTheEnd(apart)].filter((query) => query !== null);
  const readings = queries.flatMap((query) =>
    [formDecoded, percentDecoded, asItIs].map((decode) => read(query, decode)),
  );
  const distinct = new Map(readings.map((reading) => [JSON.stringify(reading), reading]));
  return [...distinct.values()];
}

const names = ['token', 'base', 'path'] as const;

function read(query: string[], decode: (text: string) => string): Reading {
  const reading: Reading = { token: null, base: null, path: null };
  for (const parameter of query) {
    const [key, value] = cut(parameter);
    const name = names.find((known) => known === decode(key));
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

/** A percent sign that is not followed by two hexadecimal digits stands for itself. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}
