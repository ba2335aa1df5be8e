import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { quoted } from '../../lib/quoted.ts';
import type { ScreenCapture } from './screen.schema.ts';

const takeScreenshot: AgentTool = {
  name: 'take_screenshot',
  title: 'Take a screenshot',
  description: 'Shows what is on a screen of the machine.',
  input: async () => (await import('./screen.schema.ts')).takeScreenshotInputSchema,
  output: async () => (await import('./screen.schema.ts')).takeScreenshotOutputSchema,
  destructive: false,
  idempotent: true,
  byDefault: true,
  // The user at the screen decides each time, unless the settings allow it.
  needsConsent: ({ screen }) => screen.askForAgents,
  prompt: ({ display }) =>
    `An agent wants to see what is on ${typeof display === 'string' ? `the screen ${quoted(display)}` : 'the screen'}.`,
  missing: ({ screen }) =>
    screen.allowed
      ? null
      : `take_screenshot needs the setting screen.allowed: ${ownCommand('settings set screen.allowed true')}`,
  everyMs: 1000,
};

/** Wide enough to read text; agents pay per pixel. */
const widest = 1280;

export const screenUse: AgentUse<ScreenCapture> = {
  tool: takeScreenshot,
  toInput: ({ display }) => ({ display, max_width: widest }),
  toOutput: ({ data: { display, width, height } }) => ({ display, width, height }),
};
