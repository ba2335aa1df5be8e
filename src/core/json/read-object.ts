import type { Host } from '../../host/host.ts';
import { objectIn } from '../../lib/values.ts';

/** The object in a file of this service; null: it is missing, damaged or cannot be read. */
export function readObject({ storage }: Pick<Host, 'storage'>, file: string): Record<string, unknown> | null {
  try {
    return objectIn(storage.read(file));
  } catch {
    return null;
  }
}
