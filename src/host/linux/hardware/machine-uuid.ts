import path from 'node:path';
import type { LinuxHost } from '../linux-host.ts';

/** Stable for the machine, but not its machine id, which is confidential. https://man7.org/linux/man-pages/man5/machine-id.5.html */
export function machineUuid(
  { files, storage, paths }: Pick<LinuxHost, 'files' | 'storage' | 'paths'>,
  sha256: (text: string) => Buffer,
) {
  const adopted = adoptedUuid({ storage, paths });
  if (adopted !== null) return { uuid: adopted, stable: true };
  for (const file of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = files.text(file)?.trim().toLowerCase() ?? '';
    if (/^[0-9a-f]{32}$/.test(id) && !/^0+$/.test(id))
      return { uuid: uuidFrom(sha256(application + id)), stable: true };
  }
  const file = fileOf(paths);
  try {
    storage.prepareDirectory(paths.state);
    return { uuid: storage.locked(file, () => storedUuid(file, storage)), stable: true };
  } catch {
    // The next start has another one.
    return { uuid: crypto.randomUUID(), stable: false };
  }
}

type Kept = Pick<LinuxHost, 'storage' | 'paths'>;

const fileOf = (paths: LinuxHost['paths']) => path.join(paths.state, 'machine.json');

/** The identifier that was imported from another program; null: none. */
export function adoptedUuid({ storage, paths }: Kept): string | null {
  try {
    const text = storage.read(fileOf(paths)) ?? '';
    return text.includes('"adopted"') ? uuidIn(text) : null;
  } catch {
    return null;
  }
}

/** From the next start on. */
export function adoptUuid({ storage, paths }: Kept, uuid: string): void {
  storage.prepareDirectory(paths.state);
  storage.write(fileOf(paths), `${JSON.stringify({ uuid, adopted: true })}\n`);
}

const uuidIn = (text: string) => /"uuid":\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/.exec(text)?.[1] ?? null;

// Changing it would make every machine a new one to its clients.
const application = 'hostler machine identifier 1';

function uuidFrom(digest: Buffer): string {
  const bytes = digest.subarray(0, 16);
  // Version 8 of RFC 9562: vendor-specific.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function storedUuid(file: string, storage: LinuxHost['storage']): string {
  const stored = uuidIn(storage.read(file) ?? '');
  if (stored !== null) return stored;
  const uuid = crypto.randomUUID();
  storage.write(file, `${JSON.stringify({ uuid })}\n`);
  return uuid;
}
