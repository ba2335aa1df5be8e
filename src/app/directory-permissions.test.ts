import { expect, test } from 'bun:test';
import { memoryStorage } from '../../test/doubles/fake-host.ts';
import { exposedPlace } from './directory-permissions.ts';

test('the advice is to check the content of an exposed file before it is made ours', () => {
  const exposure = (place: string) =>
    place.endsWith('settings.json')
      ? { problem: 'it belongs to mallory', fix: 'sudo chown -R ann settings.json' }
      : null;
  const paths = { config: '/config', state: '/state', runtime: null };
  expect(exposedPlace({ paths, storage: { ...memoryStorage(), exposure } })).toContain(
    'Check first that its content is yours, then fix it with "sudo chown -R ann settings.json"',
  );
});

test('a list of browser sessions that others may change is not used', () => {
  const exposure = (place: string) =>
    place.endsWith('browsers.json') ? { problem: 'all may write to it', fix: 'chmod' } : null;
  const paths = { config: '/config', state: '/state', runtime: null };
  expect(exposedPlace({ paths, storage: { ...memoryStorage(), exposure } })).toContain('browsers.json is not safe');
});
