// Which test files run when: `npm run check` runs the unit tests of the standard tier, `npm test` adds the real tests of the standard tier,
// `npm run test:full` runs every file. A file that needs Wine, a virtual machine or a container engine, that builds or installs packages, or
// that takes minutes has the first line `// tier: full`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './installed.mjs';

/** 'standard', or 'full' for a file that only `npm run test:full` runs. */
export function tierOf(text) {
  const marker = /^\/\/ *tier\b.*/i.exec(text)?.[0];
  if (marker === undefined) return 'standard';
  if (marker !== '// tier: full') throw new Error(`"${marker}" is not a tier; the only marker is "// tier: full"`);
  return 'full';
}

/** The files that run in a tier; the full tier includes the standard tier. */
export function inTier(files, tier) {
  return tier === 'full' ? files : files.filter((file) => tierOfFile(file) === 'standard');
}

function tierOfFile(file) {
  try {
    return tierOf(readFileSync(path.join(root, file), 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
}

/** What a run covers and what it leaves out, as lines to print first. */
export function describeTier(tier, files) {
  const included = inTier(files, tier);
  const left = files.filter((file) => !included.includes(file)).map((file) => path.basename(file, '.test.ts'));
  if (tier === 'full')
    return [`== npm run test:full: all ${files.length} test files. This takes about 30 minutes on two cores.`];
  return [
    `== npm test: ${included.length} of ${files.length} test files. This takes about 12 minutes on two cores.`,
    `== Only npm run test:full runs: ${left.join(', ')}`,
  ];
}
