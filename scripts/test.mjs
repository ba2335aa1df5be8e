// npm test: installs what is needed, builds, checks types, lint and generated files, runs the tests of the standard tier.
// npm run test:full (--full): the same with every test.
// With paths (npm test -- ./src/access test/real/tests/cli.test.ts) only the tests there, of every tier, and the build only if a test against real
// parts is among them and the program is older than its sources; with --shuffle=<seed> the files in another order.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from './built.mjs';
import { ensureInstalled, root } from './installed.mjs';
import { budgetStep, buildStep, freshStep, lintStep, runSteps, together, typesStep, webTypesStep } from './steps.mjs';
import { ensurePackages } from './test-packages.mjs';
import { isReal, realStep, realTests, shuffled, testFiles, testStep, unitStep, unitTests } from './test-step.mjs';
import { describeTier, inTier } from './test-tiers.mjs';

const { values, positionals } = parseArgs({
  options: { full: { type: 'boolean' }, shuffle: { type: 'string' } },
  allowPositionals: true,
});
const tier = values.full ? 'full' : 'standard';
const inOrder = (files) => (values.shuffle === undefined ? files : shuffled(files, values.shuffle));

ensureInstalled({ dev: true });
if (positionals.length > 0) {
  const missing = positionals.find((place) => !existsSync(path.join(root, place)));
  if (missing !== undefined) {
    process.stderr.write(`hostler: there is no ${missing} here\n`);
    process.exit(2);
  }
  const files = inOrder(positionals.flatMap(testFiles));
  const needsBuild = files.some(isReal) && !isBuilt();
  await runSteps([...(needsBuild ? [buildStep()] : []), testStep('tests', files)]);
}
for (const line of describeTier(tier, [...unitTests(), ...realTests()])) process.stdout.write(`${line}\n`);
ensurePackages(tier);
await runSteps([
  buildStep(),
  together('types, lint and generated files', [typesStep(), webTypesStep(), lintStep(), freshStep()]),
  unitStep('unit tests', inOrder(inTier(unitTests(), tier))),
  realStep('tests against real parts', inOrder(inTier(realTests(), tier)), tier),
  ...(tier === 'full' && process.platform === 'linux' ? [budgetStep()] : []),
]);
