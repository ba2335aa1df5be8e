import fs from 'node:fs';
import path from 'node:path';
import type { Junk } from './junk.ts';

/** Writes a file in one of the ways that programs and people do, the clumsy ones too. */
export function writeSomehow(file: string, content: string | Uint8Array, junk: Junk): void {
  junk.pick([
    () => fs.writeFileSync(file, content, { mode: 0o600 }),
    () => {
      const other = `${file}.new`;
      fs.writeFileSync(other, content, { mode: 0o600 });
      fs.renameSync(other, file);
    },
    () => {
      fs.writeFileSync(file, '', { mode: 0o600 });
      fs.appendFileSync(file, content);
    },
    () => {
      fs.rmSync(file, { force: true, recursive: true });
      fs.writeFileSync(file, content, { mode: 0o600 });
    },
  ])();
}

/** Something other than a file, or an unreadable file; restored the next time. */
export function spoil(file: string, junk: Junk): void {
  fs.rmSync(file, { force: true, recursive: true });
  junk.pick([
    () => {},
    () => fs.mkdirSync(file),
    () => fs.symlinkSync(path.join(path.dirname(file), 'nowhere'), file),
    () => fs.symlinkSync(file, file),
    () => fs.symlinkSync('/dev/zero', file),
    () => fs.writeFileSync(file, '{}', { mode: 0 }),
    () => fs.writeFileSync(file, '{}', { mode: 0o666 }),
  ])();
}

export const remove = (file: string) => fs.rmSync(file, { force: true, recursive: true });

/** Content of a junk file: nearly valid, invalid, empty, long, deep. */
export function contentOf(junk: Junk, nearly: () => string): string | Uint8Array {
  return junk.pick<() => string | Uint8Array>([
    nearly,
    nearly,
    nearly,
    () => junk.mangle(nearly()),
    () => junk.mangle(nearly()),
    () => JSON.stringify(junk.value()) ?? '',
    () => junk.bytes(junk.below(2000)),
    () => '',
    () => '['.repeat(junk.below(100_000)),
    () => `{"a":"${'x'.repeat(junk.below(2_000_000))}"}`,
    () => `\ufeff${nearly()}`,
    () => Buffer.from(nearly(), 'utf16le'),
  ])();
}
