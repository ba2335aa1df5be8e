// Quick enough to run before every commit. Stops at the first step that fails.
import { ensureInstalled } from './installed.mjs';
import { freshStep, lintStep, runSteps, typesStep, webTypesStep } from './steps.mjs';
import { unitStep, unitTests } from './test-step.mjs';
import { inTier } from './test-tiers.mjs';

ensureInstalled({ dev: true });
const unit = inTier(unitTests(), 'standard');
await runSteps([typesStep(), webTypesStep(), lintStep(), freshStep(), unitStep('unit tests', unit)], {
  stopAtFirst: true,
});
