import { modules } from '../features/index.ts';
import type { SettingsChecks } from '../settings/settings.ts';

/** What the schema of the settings cannot know. Loaded when the section is changed. */
export const settingsChecks: SettingsChecks = {
  async alerts() {
    const [{ createRulesCheck }, { knownHistory }] = await Promise.all([
      import('../alerts/check-rules.ts'),
      import('../history/series-catalogue.ts'),
    ]);
    return await createRulesCheck(modules, await knownHistory(modules));
  },
};
