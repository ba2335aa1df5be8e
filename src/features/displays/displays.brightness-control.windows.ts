import { requireScreen, whyNoScreen } from '../../host/windows/desktop-access.ts';
import { percentOfLevel } from '../../host/windows/native/monitors.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { BrightnessControl } from './displays.contract.ts';
import type { NamedDisplay } from './displays.targets.ts';

const why = 'Only external monitors that support DDC/CI can be dimmed on Windows; built-in displays cannot yet';

/** External monitors only. */
export const brightnessControlWindows = (host: Pick<WindowsHost, 'native' | 'nativeElsewhere'>): BrightnessControl => {
  const monitors = host.nativeElsewhere('monitors');
  const meant = (displays: readonly string[], known: readonly NamedDisplay[]) =>
    known.filter(({ id }) => displays.includes(id));
  const levelsOf = async (places: readonly NamedDisplay[]) =>
    await monitors.levels(places.map(({ x, y }) => ({ x, y }))).catch(() => places.map(() => null));
  return {
    unavailable: () => whyNoScreen(host),
    whyNot: async () => why,
    async dimmable(displays, known) {
      await requireScreen(host);
      const wanted = meant(displays, known);
      const levels = await levelsOf(wanted);
      return wanted.flatMap(({ id }, at) => (levels[at] ? [id] : []));
    },
    async set(displays, percent, known) {
      const done: { id: string; brightness: number }[] = [];
      const wanted = meant(displays, known);
      const levels = await levelsOf(wanted);
      for (const [at, { id, x, y }] of wanted.entries()) {
        const level = levels[at];
        if (!level) continue;
        const current = Math.round(level.least + (percent * (level.most - level.least)) / 100);
        const taken = await monitors.setLevel({ x, y }, current).catch((cause) => {
          throw new ServiceError('failed', `The brightness of ${id} could not be set: ${messageOf(cause)}`, { cause });
        });
        if (taken) done.push({ id, brightness: percentOfLevel({ ...level, current }) });
      }
      if (done.length === 0) throw new ServiceError('failed', `${displays.join(', ')} did not accept the brightness`);
      return done;
    },
  };
};
