// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { lacksWineTree } from '../harness/wine-tree.ts';
import { chooseUnitFiles, runUnitsInWine } from '../harness/wine-units.ts';

/** It takes some two minutes on two cores. */
const limitMs = 600_000;
setDefaultTimeout(limitMs + 30_000);

const reason = lacksWineTree();
if (reason !== null) console.warn(`skipped: ${reason}`);

describe.skipIf(reason !== null)('the unit tests without Linux dependencies', () => {
  test('pass on the Windows runtime under Wine', async () => {
    const { run, leftOut } = chooseUnitFiles();
    for (const { file, reason: why } of leftOut) console.warn(`skipped on Windows: ${file}: ${why}`);
    const { counts, output } = await runUnitsInWine(run, limitMs);
    const failed = output.split('\n').filter((line) => /^\(fail\)|Unhandled error/.test(line));
    // Every test that is skipped has said why.
    for (const line of new Set(output.match(/^skipped: .+$/gm))) console.warn(line);
    if (counts === null) throw new Error(`The run did not reach its end: ${output.slice(-3000)}`);
    const passed = counts.tests - counts.failures - counts.skipped;
    console.log(`unit tests under Wine: ${passed} passed, ${counts.failures} failed, ${counts.skipped} skipped`);
    expect({ failed, failures: counts.failures }).toEqual({ failed: [], failures: 0 });
    expect(passed).toBeGreaterThan(1000);
  });
});
