import { describe, expect, test } from 'bun:test';
import { agentKit } from '../../app/transports.ts';
import { actions, defaultSettings, modules } from '../../features/index.ts';
import { plainTools } from './plain-tools.generated.ts';
import { plainArguments, plainSchemas } from './plain-tools.ts';
import { checked, schemasOf } from './server.catalogue.schemas.ts';

const names = modules.map(({ name }) => name);
const toolOf = (name: string) => {
  const tool = agentKit.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
};

describe('tools without the schema library', () => {
  test.each(agentKit.tools.map((tool) => [tool.name, tool] as const))('%s reads', async (name, tool) => {
    expect(plainSchemas(name, names)).toEqual(await schemasOf(() => tool.input(names), tool.output));
  });

  const acting = Map.groupBy(
    actions.filter(({ agent }) => agent !== undefined),
    ({ agent }) => agent?.tool,
  );
  test.each([...acting].map(([tool, group]) => [tool?.name ?? '', tool, group] as const))(
    '%s acts',
    async (name, tool, group) => {
      const choices = group.flatMap(({ agent }) => agent?.choice ?? []);
      const facts = { choices, settings: defaultSettings };
      const plain = plainSchemas(name, choices);
      if (tool === undefined) throw new Error('it is a tool');
      if (plain === null) expect(['run_command', 'control_container']).toContain(name);
      else expect(plain).toEqual(await schemasOf(() => tool.input(facts), tool.output));
    },
  );

  test('every tool that reads has rules for its arguments', () => {
    for (const { name } of agentKit.tools)
      expect([name, plainTools.get(name)?.fields !== undefined]).toEqual([name, true]);
  });
});

describe('arguments', () => {
  test.each<[tool: string, words: unknown]>([
    ['get_overview', {}],
    ['get_overview', undefined],
    ['get_module', { module: 'memory' }],
    ['get_module', { offset: 2, max_items: 1000, fields: ['a.b'], module: 'cpu' }],
    ['list_processes', {}],
    ['list_processes', { min_cpu: 0.5, name_contains: 'x', sort_by: 'memory', limit: 100, detail: 'full' }],
    ['list_connections', { port: 0, status: 'LISTEN' }],
    ['what_happened', { minutes: 1.5, at: '12:00' }],
  ])('of %s: %j are accepted as the schema accepts them', async (name, words) => {
    const plain = plainArguments(name, names, words);
    const full = checked(name, await toolOf(name).input(names), words);
    // In the same order: the cursor of a page covers it.
    expect(JSON.stringify(plain)).toBe(JSON.stringify(full));
  });

  test.each<[tool: string, words: unknown]>([
    ['get_overview', { more: 1 }],
    ['get_overview', []],
    ['get_overview', null],
    ['get_module', {}],
    ['get_module', { module: 'nothing' }],
    ['get_module', { module: '<choices>' }],
    ['get_module', { module: 'memory', max_items: 0 }],
    ['get_module', { module: 'memory', max_items: 1.5 }],
    ['get_module', { module: 'memory', fields: ['x'.repeat(201)] }],
    ['list_processes', { limit: '5' }],
    ['list_processes', { min_cpu: -1 }],
    ['list_processes', JSON.parse('{"__proto__":{"limit":5}}')],
    ['list_processes', { constructor: 1 }],
    ['list_processes', { limit: null }],
    ['what_happened', { minutes: 0.5 }],
    ['no_tool', {}],
    ['toString', {}],
  ])('of %s: %j are left to the schema', (name, words) => {
    expect(plainArguments(name, names, words)).toBeNull();
  });
});
