import { expect, test } from 'bun:test';
import { actionLines } from './doctor.actions.ts';

const works = (name: string) => ({ name, available: true, reason: null });
const lacks = (name: string, reason: string) => ({ name, available: false, reason });

test('each reason is printed once, with all actions it affects', () => {
  const lines = actionLines(
    [
      works('files.list'),
      lacks('power.sleep', 'power.sleep is not supported here: no response'),
      works('files.file'),
      lacks('power.restart', 'power.restart is not supported here: no response'),
      lacks('pointer.click', 'log in first'),
    ],
    80,
  );
  expect(lines).toEqual([
    '  ✓ files.list, files.file',
    '  ✗ power.sleep, power.restart',
    '      No response',
    '  ✗ pointer.click',
    '      log in first',
  ]);
});

test('long lists continue on further lines, a name that is too long on its own line', () => {
  const lines = actionLines(['one', 'two', 'much.too.long.for.it', 'three'].map(works), 14);
  expect(lines).toEqual(['  ✓ one, two,', '    much.too.long.for.it,', '    three']);
});

test('there is no empty line where nothing or everything works', () => {
  expect(actionLines([lacks('a.b', 'why')], 80)).toEqual(['  ✗ a.b', '      why']);
  expect(actionLines([], 80)).toEqual([]);
});
