import { type ActionParts, defineAction } from '../../core/action.ts';
import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { shareIdOf } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';
import { addressToOpen, pathToOpen } from '../../core/files/open-target.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import { quoted } from '../../lib/quoted.ts';
import { createBuckets, takeOrRefuse } from '../../lib/token-buckets.ts';
import type { Opener } from './open.contract.ts';
import type { OpenInput, OpenOutput } from './open.schema.ts';

const name = 'desktop.open';
const openers: PerPlatform<Opener> = {
  linux: async () => (await import('./open.linux.ts')).openerLinux,
  windows: async () => (await import('./open.windows.ts')).openerWindows,
};

const openUrl: AgentTool = {
  name: 'open_url',
  title: 'Open an address',
  description: 'Opens an http, https or mailto address on the desktop. May ask the user first.',
  input: async () => (await import('./open.schema.ts')).openUrlInputSchema,
  output: async () => (await import('./open.schema.ts')).openUrlOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: false,
  prompt: ({ url }) => `An agent wants to open the address ${quoted(String(url))}.`,
};

const openUse: AgentUse<OpenOutput> = {
  tool: openUrl,
  toInput: ({ url }) => ({ url }),
  toOutput: ({ data: { url } }) => ({ opened: url ?? '' }),
};

const createOpenRate = ({ host, budgets }: ActionParts) => createBuckets(budgets.caller.openings, host.clock.monotonic);

export const desktopOpen = defineAction<OpenInput, OpenOutput>({
  name,
  description: 'Opens an address, or a file in a known directory, with the program the user prefers for it',
  input: async () => (await import('./open.schema.ts')).openInputSchema,
  output: async () => (await import('./open.schema.ts')).openOutputSchema,
  scopes: ['control'],
  effect: 'disrupt',
  example: { url: 'https://example.org/' },
  wire: { event: 'OPEN', reply: 'OPENED' },
  agent: openUse,
  unavailable: ({ host }) => unavailableFor(host, openers, name),
  async run({ path, url }, { host, settings, keep, caller }) {
    // Checked first, so that a refusal is the same on every machine.
    const target = path ? await pathToOpen(host, settings(), path) : addressToOpen(url || neither());
    const opener = await requireFor(host, openers, name);
    takeOrRefuse(keep(createOpenRate), shareIdOf(caller), 'This token opens too much at once; try again in a moment');
    await opener.open(target.kind === 'path' ? target.path : target.url);
    return {
      message: target.kind === 'path' ? 'The path was opened' : 'The address was opened',
      data: { path: target.kind === 'path' ? target.path : null, url: target.kind === 'url' ? target.url : null },
    };
  },
});

function neither(): never {
  throw new ServiceError('invalid', 'desktop.open: both path and url are missing; send one of them', {
    subtype: 'MISSING_PATH_URL',
  });
}

export const openFeature = defineFeature({
  name: 'open',
  title: 'Open',
  actions: [desktopOpen],
});
