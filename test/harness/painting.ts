import { afterEach } from 'bun:test';
import { z } from 'zod';
import { type ActionDefinition, defineAction } from '../../src/core/action.ts';
import type { AgentTool } from '../../src/core/agent.ts';
import { type FakeAgentsOptions, fakeAgents } from './agents.ts';

const started: { close(): Promise<void> }[] = [];
/** To be called once by each file of tests. */
export function useAgents(): void {
  afterEach(async () => {
    for (const one of started.splice(0)) await one.close();
  });
}

/** A service whose only module is memory, until the end of the test. */
export function startAgents(options: FakeAgentsOptions = {}) {
  const agents = fakeAgents({ payloads: { memory }, ...options });
  started.push(agents);
  return agents;
}

export const memory = { virtual: { percent: 42 }, swap: { percent: 0 } };

/** An example action; `asks` makes it require a permission prompt. */
export function painting({ asks = false, ...more }: Partial<AgentTool> & { asks?: boolean } = {}) {
  const painted: unknown[] = [];
  const tool: AgentTool = {
    name: 'paint_house',
    title: 'Paint the house',
    description: 'Paints it.',
    input: async () => z.strictObject({ color: z.string().default('white') }),
    output: async () => z.object({ painted: z.string() }),
    destructive: asks,
    idempotent: true,
    byDefault: true,
    prompt: ({ color }) => `An agent wants to paint the house ${JSON.stringify(color)}.`,
    ...more,
  };
  const action = defineAction<{ color: string }, { color: string }>({
    name: 'house.paint',
    description: 'Paints the house',
    input: async () => z.object({ color: z.string() }),
    output: async () => z.object({ color: z.string() }),
    scopes: ['control'],
    effect: 'write',
    example: { color: 'green' },
    wire: { event: 'HOUSE_PAINT', reply: 'HOUSE_PAINTED' },
    agent: { tool, toInput: ({ color }) => ({ color }), toOutput: ({ data }) => ({ painted: data.color }) },
    unavailable: async () => null,
    async run(input) {
      painted.push(input.color);
      return { message: 'Painted', data: input };
    },
  });
  return { action: action as ActionDefinition, painted };
}

export const textOf = (result: { content?: unknown }) => JSON.stringify(result.content);
