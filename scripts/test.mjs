// Everything: installs what is needed, builds, checks types, lint and formatting, runs every test.
import { ensureInstalled } from './installed.mjs';
import { ensurePackages } from './packages.mjs';
import { buildStep, freshStep, lintStep, runSteps, testStep, typesStep, unitTests, webTypesStep } from './steps.mjs';

ensureInstalled({ dev: true });
ensurePackages();
runSteps([
  buildStep(),
  typesStep(),
  webTypesStep(),
  lintStep(),
  freshStep(),
  testStep('unit tests', unitTests()),
  testStep('tests against real parts', ['./test/real']),
]);
