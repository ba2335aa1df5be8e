import { expect, test } from 'bun:test';
import { z } from 'zod';
import { createProgram } from '../../cli/program.ts';
import { powerActions } from './power.ts';

test('each power action has a command with an option for everything it takes', async () => {
  const power = createProgram().commands.find((command) => command.name() === 'power');
  for (const action of powerActions) {
    const command = power?.commands.find((child) => `power.${child.name()}` === action.name);
    const options = command?.options.map(({ long }) => long?.slice(2)).filter((name) => name !== 'json');
    const { properties = {} } = z.toJSONSchema(await action.input());
    expect([action.name, options]).toEqual([action.name, Object.keys(properties)]);
  }
});
