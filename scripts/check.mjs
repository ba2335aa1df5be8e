// What is quick enough to run before every commit.
import { ensureInstalled } from './installed.mjs';
import { freshStep, lintStep, runSteps, testStep, typesStep, unitTests, webTypesStep } from './steps.mjs';

ensureInstalled({ dev: true });
runSteps([typesStep(), webTypesStep(), lintStep(), freshStep(), testStep('unit tests', unitTests())]);
