// What is quick enough to run before every commit.
import { ensureInstalled } from './installed.mjs';
import { freshStep, lintStep, runSteps, testStep, typesStep, unitTests } from './steps.mjs';

ensureInstalled({ dev: true });
runSteps([typesStep(), lintStep(), freshStep(), testStep('unit tests', unitTests())]);
