import { isDeepStrictEqual } from 'node:util';
import type { ActionContext, ActionDefinition, ActionResult } from '../../src/core/action.ts';
import { parse } from '../../src/core/json/parse.ts';

/** Runs an action on the input of a client, as the service does, and checks that its reply matches its schema exactly. */
export async function perform(
  action: ActionDefinition,
  input: unknown,
  context: ActionContext,
): Promise<ActionResult['data']> {
  const { data } = await action.run(parse(await action.input(), input, action.name), context);
  const promised = (await action.output()).parse(data);
  if (!isDeepStrictEqual(data, promised)) {
    throw new Error(`${action.name} answered more than its schema has: ${JSON.stringify(data)}`);
  }
  return data;
}

/** The action of a list that a WebSocket event starts. */
export function actionFor(actions: readonly ActionDefinition[], event: string): ActionDefinition {
  const action = actions.find(({ wire }) => wire.event === event);
  if (action === undefined) throw new Error(`There is no action for ${event}`);
  return action;
}
