// Everything: installs what is needed, builds, checks types, lint and formatting, runs every test.
// With paths (npm test -- ./src/access test/real/tests/cli.test.ts) only the tests there, and the build only if some of them are against real parts
// and it is older than its sources; with --shuffle=<seed> the files in another order.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from './built.mjs';
import { ensureInstalled, root } from './installed.mjs';
import { buildStep, freshStep, lintStep, runSteps, typesStep, webTypesStep } from './steps.mjs';
import { ensurePackages } from './test-packages.mjs';
import { realStep, realTests, shuffled, testFiles, testStep, unitTests } from './test-step.mjs';

const { values, positionals } = parseArgs({ options: { shuffle: { type: 'string' } }, allowPositionals: true });
const inOrder = (files) => (values.shuffle === undefined ? files : shuffled(files, values.shuffle));

ensureInstalled({ dev: true });
if (positionals.length > 0) {
  const missing = positionals.find((place) => !existsSync(path.join(root, place)));
  if (missing !== undefined) {
    process.stderr.write(`hostler: there is no ${missing} here\n`);
    process.exit(2);
  }
  const files = positionals.flatMap(testFiles);
  const needsBuild = files.some((file) => file.startsWith('./test/real/')) && !isBuilt();
  await runSteps([...(needsBuild ? [buildStep()] : []), testStep('tests', inOrder(files))]);
}
process.stdout.write('== This takes about 20 minutes on two cores; test tools (330 MB) are kept in .cache.\n');
ensurePackages();
await runSteps([
  buildStep(),
  typesStep(),
  webTypesStep(),
  lintStep(),
  freshStep(),
  testStep('unit tests', inOrder(unitTests())),
  realStep('tests against real parts', inOrder(realTests())),
]);
