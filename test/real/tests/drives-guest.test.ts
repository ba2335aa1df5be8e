// tier: full
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Disks, disksSchema } from '../../../src/features/disks/disks.schema.ts';
import { guestWithDrives, runGuest, whyNoGuest } from '../harness/guest.ts';

// Emulated, and beside other tests: the virtual machine waits for what it needs, and ends.
setDefaultTimeout(1_200_000);

const why = whyNoGuest(guestWithDrives);
if (why !== null) console.warn(`skipped: drives in a virtual machine: ${why}`);

describe.skipIf(why !== null)('drives of QEMU, queried directly by root', () => {
  let answers: Map<string, string>;

  beforeAll(async () => {
    answers = await runGuest(guestWithDrives);
  });

  const disksIn = (name: string): Disks => disksSchema.parse(JSON.parse(answers.get(name) ?? ''));
  const healthIn = (disks: Disks, name: string) => disks.devices.find((device) => device.name === name)?.health ?? null;

  test('a SATA drive matches smartctl', () => {
    const theirs = JSON.parse(answers.get('smartctl') ?? '');
    expect(healthIn(disksIn('awake'), 'sda')).toMatchObject({
      passed: theirs.smart_status.passed,
      power_on_hours: theirs.power_on_time.hours,
      temperature: theirs.temperature.current,
      reallocated: theirs.ata_smart_attributes.table.find(({ id }: { id: number }) => id === 5).raw.value,
      critical_warnings: [],
    });
  });

  test('an NVMe drive matches nvme-cli', () => {
    const theirs = JSON.parse(answers.get('nvme') ?? '');
    expect(healthIn(disksIn('awake'), 'nvme0n1')).toMatchObject({
      passed: theirs.critical_warning === 0,
      percentage_used: theirs.percent_used,
      power_on_hours: Number(theirs.power_on_hours),
      temperature: theirs.temperature - 273,
      media_errors: Number(theirs.media_errors),
    });
  });

  test('a mirror that lost a drive is degraded, and names it', () => {
    expect(disksIn('awake').arrays).toEqual([
      expect.objectContaining({
        name: 'md0',
        kind: 'md',
        level: 'raid1',
        state: 'degraded',
        missing: 1,
        members: [
          { name: 'sdb', state: 'active', errors: 0 },
          { name: 'sdc', state: 'failed', errors: 0 },
        ],
      }),
    ]);
  });

  test('changes of a mirror are pushed long before the next reading', () => {
    const lines = (answers.get('pushed') ?? '').split('\n').map((line): Pick<Disks, 'arrays'> => JSON.parse(line));
    // The very first answer may have come before the machine was read.
    expect(lines.at(-2)?.arrays).toMatchObject([{ name: 'md0', state: 'ok' }]);
    expect(lines.at(-1)?.arrays).toMatchObject([{ name: 'md0', state: 'degraded', missing: 1 }]);
  });

  test('a drive that the kernel put to sleep is not queried, and stays asleep', () => {
    const disks = disksIn('asleep');
    expect(healthIn(disks, 'sda')).toBeNull();
    expect(healthIn(disks, 'sdb')?.passed).toBe(true);
    expect(answers.get('power')).toBe('suspended');
  });
});
