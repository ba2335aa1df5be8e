import path from 'node:path';
import type { Contained } from '../../host/contained/contained.ts';

/** Resolves an absolute path anywhere, without hanging. Not for paths that a client sent to reach a file. */
export function findAnywhere(contained: Contained, file: string): ReturnType<Contained['find']> {
  const { root } = path.parse(file);
  return contained.find(root, path.relative(root, file) || '.');
}
