import { encode } from 'uqr';

/** A picture in characters, light on dark like most terminals; readers accept both. Two rows in one, unless the terminal is plain ASCII. */
export function qrCode(text: string, ascii: boolean): string {
  const { data } = encode(text, { ecc: 'L', border: 2 });
  if (ascii) return data.map((row) => row.map((dark) => (dark ? '  ' : '##')).join('')).join('\n');
  return data
    .flatMap((upper, y) =>
      y % 2 === 0 ? [upper.map((dark, x) => half(!dark, data[y + 1]?.[x] === false)).join('')] : [],
    )
    .join('\n');
}

const half = (upper: boolean, lower: boolean) => (upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ');
