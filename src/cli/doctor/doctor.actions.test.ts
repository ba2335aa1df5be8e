import { expect, test } from 'bun:test';
import { actionLines } from './doctor.actions.ts';

const works = (name: string) => ({ name, available: true, reason: null });
const lacks = (name: string, reason: string) => ({ name, available: false, reason });

test('each reason is said once, with everything it stands in the way of', () => {
  const lines = actionLines(
    [
      works('files.list'),
      lacks('power.sleep', 'power.sleep is not supported here: nobody answers'),
      works('files.file'),
      lacks('power.restart', 'power.restart is not supported here: nobody answers'),
      lacks('pointer.click', 'log in first'),
    ],
    80,
  );
  expect(lines).toEqual([
    '  ✓ files.list, files.file',
    '  ✗ power.sleep, power.restart',
    '      Nobody answers',
    '  ✗ pointer.click',
    '      log in first',
  ]);
});

test('long lists are continued on further lines, a name that is too long on one of its own', () => {
  const lines = actionLines(['one', 'two', 'much.too.long.for.it', 'three'].map(works), 14);
  expect(lines).toEqual(['  ✓ one, two,', '    much.too.long.for.it,', '    three']);
});

test('where nothing works, or everything, there is no empty line', () => {
  expect(actionLines([lacks('a.b', 'why')], 80)).toEqual(['  ✗ a.b', '      why']);
  expect(actionLines([], 80)).toEqual([]);
});
