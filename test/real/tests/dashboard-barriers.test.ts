// tier: full
import { expect, setDefaultTimeout, test } from 'bun:test';
import { barriersOfEveryView, usualSchemes } from '../harness/dashboard-barriers.ts';
import { needs } from '../harness/parts.ts';

setDefaultTimeout(600_000);

test.skipIf(!needs('chromium'))('no view has a serious accessibility problem, in light and in dark', async () => {
  expect(await barriersOfEveryView(usualSchemes)).toEqual([]);
});
