export function takesGzip(acceptEncoding: string | null): boolean {
  const codings = parseQualities(acceptEncoding ?? '');
  return (codings.get('gzip') ?? codings.get('*') ?? 0) > 0;
}

/** `a;version=1;q=0.5, b`: the quality value of each, 0 to 1. */
export function parseQualities(header: string): Map<string, number> {
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
