import { expect, test } from 'bun:test';
import { runtimeDirectory, runtimeRefusal } from './runtime-directory.ts';

const given = (directory: string | null) => ({
  variable: (name: string) => (name === 'XDG_RUNTIME_DIR' ? directory : null),
  uid: 1000,
});
const foreign =
  (...places: string[]) =>
  (place: string) =>
    places.includes(place) ? { problem: 'it belongs to eve', fix: '' } : null;

test('the runtime directory is the named one, else the default one', () => {
  expect(runtimeDirectory(given('/run/own'), foreign())).toBe('/run/own');
  expect(runtimeDirectory(given(null), foreign())).toBe('/run/user/1000');
  expect(runtimeDirectory(given('relative'), foreign())).toBe('/run/user/1000');
  expect(runtimeRefusal(given('/run/own'), foreign())).toBeNull();
});

test('the directory of another user is not used', () => {
  expect(runtimeDirectory(given('/run/user/1002'), foreign('/run/user/1002'))).toBe('/run/user/1000');
  expect(runtimeDirectory(given('/tmp/run'), foreign('/tmp/run', '/run/user/1000'))).toBeNull();
  expect(runtimeRefusal(given('/tmp/run'), foreign('/tmp/run'))).toBe(
    'the runtime directory /tmp/run (XDG_RUNTIME_DIR) is not used: it belongs to eve',
  );
});
