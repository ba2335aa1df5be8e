// What is quick enough to run before every commit.
import { ensureInstalled } from './installed.mjs';
import { freshStep, lintStep, runSteps, typesStep, webTypesStep } from './steps.mjs';
import { testStep, unitTests } from './test-step.mjs';

ensureInstalled({ dev: true });
await runSteps([typesStep(), webTypesStep(), lintStep(), freshStep(), testStep('unit tests', unitTests())]);
