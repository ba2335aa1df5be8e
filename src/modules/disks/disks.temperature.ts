import type { Reasons } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';
import { type Answer, createPatience } from '../../host/patience.ts';
import { isNvme, type Layout } from './disks.layout.ts';
import { several } from './disks.reasons.ts';

/** Degrees Celsius by name of the disk. */
export type Temperatures = ReadonlyMap<string, number>;

/** The drives themselves are asked, one after another; one that sleeps or fails can take half a minute. */
export function createTemperatures({ files, clock }: Host) {
  const patience = createPatience<string | null>(clock, [{ ask: files.textLater }]);
  return (layout: Layout, reasons: Reasons): Temperatures | Promise<Temperatures> => {
    explainUnasked(layout, reasons);
    if (layout.sensors.size === 0) return none;
    const asked = [...layout.sensors].map(async ([disk, file]) => ({ disk, answer: await patience.ask(file) }));
    return Promise.all(asked).then((answers) => toTemperatures(answers, reasons));
  };
}

const none: Temperatures = new Map();

function toTemperatures(answers: { disk: string; answer: Answer<string | null> }[], reasons: Reasons): Temperatures {
  const temperatures = new Map<string, number>();
  const unknown: string[] = [];
  for (const { disk, answer } of answers) {
    const text = answer.kind === 'value' ? answer.value?.trim() : undefined;
    if (text === undefined || !/^-?\d+$/.test(text)) unknown.push(disk);
    else temperatures.set(disk, Number(text) / 1000);
  }
  if (unknown.length > 0) {
    reasons.missing(
      'devices[].temperature',
      `${several(unknown)} did not tell the temperature; the kernel's log may say why`,
    );
  }
  return temperatures;
}

function explainUnasked({ unasked, blocks, sensors }: Layout, reasons: Reasons): void {
  const missing = (names: string[], sentence: string) => {
    if (names.length > 0) reasons.missing('devices[].temperature', `${several(names)}: ${sentence}`);
  };
  missing(
    unasked.filter((name) => !isNvme(name)),
    'the kernel reads the temperature of ATA drives with its module drivetemp; load it with modprobe drivetemp',
  );
  missing(
    unasked.filter(isNvme),
    'this kernel was built without CONFIG_NVME_HWMON, which reads the temperature of NVMe drives',
  );
  const others = blocks.disks.filter(({ name, listed }) => listed && !sensors.has(name) && !unasked.includes(name));
  if (others.length > 0) {
    const sentence = `${several(others.map(({ name }) => name))}: such a disk has no temperature sensor`;
    reasons.inherent('devices[].temperature', sentence);
  }
}
