import { expect, test } from 'bun:test';
import { z } from 'zod';
import { powerActions, powerFeature } from './power.ts';

test('each power action has a command with an option for every field of its input', async () => {
  for (const action of powerActions) {
    const command = powerFeature.commands.find((each) => each.action?.name === action.name);
    const options = command?.options?.map(({ flags }) => /--(\w+)/.exec(flags)?.[1]);
    const { properties = {} } = z.toJSONSchema(await action.input());
    expect([action.name, options]).toEqual([action.name, Object.keys(properties)]);
  }
});
