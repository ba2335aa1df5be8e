import { openMetrics, plainText, type TextFormat } from './openmetrics.ts';

/** The format that the client prefers; OpenMetrics unless plain text has a higher quality value. */
export function formatFor(accept: string | null): TextFormat {
  const ranges = parseQualities(accept ?? '*/*');
  const likes = (...names: string[]) => Math.max(0, ...names.map((name) => ranges.get(name) ?? 0));
  const open = likes('application/openmetrics-text', 'application/*', '*/*');
  const plain = likes('text/plain', 'text/*');
  return plain > open ? plainText : openMetrics;
}

export function takesGzip(acceptEncoding: string | null): boolean {
  const codings = parseQualities(acceptEncoding ?? '');
  return (codings.get('gzip') ?? codings.get('*') ?? 0) > 0;
}

/** `a;version=1;q=0.5, b`: the quality value of each, 0 to 1. */
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const value = quality === undefined ? 1 : Number(quality.slice(2));
    if (name === '' || !(value >= 0 && value <= 1)) continue;
    qualities.set(name, Math.max(value, qualities.get(name) ?? 0));
  }
  return qualities;
}
