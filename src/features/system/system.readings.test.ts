import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { systemReadings } from './system.readings.ts';
import type { System } from './system.schema.ts';
import { system } from './system.ts';

test('the update entity is unknown without the latest version: it would say that there is no update', async () => {
  const { entities } = systemReadings;
  const read = (await entities?.(fakeHost()))?.read;
  const releaseOf = (version_latest: string | null) => {
    const payload: System = { ...(system.module.empty as System), version: '6.0.0', version_latest };
    return read?.(payload, null).find(({ key }) => key === 'version')?.value;
  };
  expect(releaseOf(null)).toBeNull();
  expect(releaseOf('6.1.0')).toEqual({ installed_version: '6.0.0', latest_version: '6.1.0' });
});
