import fs from 'node:fs';
import path from 'node:path';

const { dirname } = import.meta;
const isCompiled = dirname.startsWith('/$bunfs/') || /^[A-Z]:[\\/]~BUN/.test(dirname);

/** A page of the documentation for sentences, where this installation has it. */
export function ownPage(
  name: string,
  program: string | null = isCompiled ? process.execPath : null,
  exists: (file: string) => boolean = fs.existsSync,
): string {
  const page = path.join('docs', `${name}.md`);
  const above = program === null ? path.resolve(dirname, '..', '..') : path.dirname(program);
  // A clone, a zip for Windows, a package or install.sh, and dist/hostler.
  const places = [above, path.join(above, '..', 'share', 'doc', 'hostler'), path.join(above, '..')];
  const found = places.map((place) => path.join(place, page)).find(exists);
  return found ?? `the page ${name} of the documentation`;
}
