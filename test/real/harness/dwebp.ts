import { execFileSync } from 'node:child_process';
import { findProgram } from './parts.ts';

/** A WebP decoded by the program of libwebp: red, green, blue and alpha of all pixels. */
export function readByDwebp(webp: Uint8Array): { width: number; height: number; rgba: Buffer } {
  const words = ['-quiet', '-pam', '-o', '-', '--', '-'];
  const pam = execFileSync(findProgram('dwebp') ?? '', words, { input: webp, maxBuffer: 2 ** 28 });
  const end = 'ENDHDR\n';
  const head = pam.toString('latin1', 0, pam.indexOf(end));
  const [, width, height] = /^P7\nWIDTH (\d+)\nHEIGHT (\d+)\nDEPTH 4\n/.exec(head) ?? [];
  return { width: Number(width), height: Number(height), rgba: pam.subarray(head.length + end.length) };
}

/** The same without alpha, as read from a PNG. */
export function pictureInWebp(webp: Uint8Array): { width: number; height: number; pixels: Buffer } {
  const { width, height, rgba } = readByDwebp(webp);
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) rgba.copy(pixels, at * 3, at * 4, at * 4 + 3);
  return { width, height, pixels };
}
