import path from 'node:path';
import type { Contained } from '../host/contained.ts';

/** What an absolute path stands for, wherever that is, looked at without hanging. Not for paths somebody sent to get at a file. */
export function findAnywhere(contained: Contained, file: string): ReturnType<Contained['find']> {
  const { root } = path.parse(file);
  return contained.find(root, path.relative(root, file) || '.');
}
