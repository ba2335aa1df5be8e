import { monitorPower } from '@hostler/ddc/vcp.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { DisplayPowerControl } from '../displays.contract.ts';
import { type DisplaySwitch, openDisplaySwitch } from './display-power.ts';
import { controllableMonitors, eachThatWorks, whyNoMonitor } from './displays.monitors-control.ts';
import { monitors } from './monitors.part.ts';

/** Through the desktop, which then knows the state; else over DDC/CI. */
export const displayPowerLinux = (host: LinuxHost): DisplayPowerControl => ({
  async unavailable() {
    try {
      (await openDisplaySwitch(host)).close();
      return null;
    } catch (error) {
      return whyNoMonitor(await partOf(host, monitors)) === null ? null : messageOf(error);
    }
  },
  async set(meant, power) {
    try {
      return { displays: meant.displays, ...(await byDesktop(host, meant, power)) };
    } catch (refusal) {
      if (!(refusal instanceof ServiceError) || refusal.code !== 'unsupported') throw refusal;
      const loaded = await partOf(host, monitors);
      const controllable = controllableMonitors(loaded, meant.displays);
      if (controllable.length === 0) throw refusal;
      const done = await eachThatWorks(controllable, async (id) => ({
        id,
        controls: await loaded.set(id, 'power', power === 'on' ? monitorPower.on : monitorPower.off),
      }));
      return { displays: done.map(({ id }) => id), confirmed: done.every(({ controls }) => controls.power === power) };
    }
  },
});

const byDesktop = (
  host: LinuxHost,
  { displays, all }: { displays: readonly string[]; all: boolean },
  power: 'on' | 'off',
) =>
  withSwitch(host, async (found) => {
    if (found.onlyTogether !== null && !all)
      throw new ServiceError(
        'unsupported',
        `${found.onlyTogether} switches all displays together; leave out the display to switch all of them`,
      );
    return await found.set(displays, power);
  });

async function withSwitch<T>(host: LinuxHost, work: (found: DisplaySwitch) => Promise<T>): Promise<T> {
  const found = await openDisplaySwitch(host);
  try {
    return await work(found);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `The displays could not be switched: ${messageOf(cause)}`, { cause });
  } finally {
    found.close();
  }
}
