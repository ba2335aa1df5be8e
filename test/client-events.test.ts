import { expect, test } from 'bun:test';
import { replies } from '@hostler/client/events.ts';
import { actions } from '../src/features/index.ts';

test('the client knows the type of the reply to every event of an action', () => {
  const names = actions.flatMap(({ wire }) => [wire, ...(wire.aliases ?? [])]);
  expect(names.length).toBeGreaterThan(50);
  expect(replies).toMatchObject(Object.fromEntries(names.map(({ event, reply }) => [event, reply])));
});
