import type { CreateSource } from '../../core/module.ts';
import { collectReasons, type Reason, type Reasons, report } from '../../core/reasons.ts';
import type { Host } from '../../host/host.ts';
import { createListeners } from '../../lib/listeners.ts';
import type { Battery } from './battery.schema.ts';
import type { createUpsReader, UpsAnswer, UpsDevice } from './nut/ups-reader.ts';

/** upsd announces nothing: how soon a power failure is noticed while the module is followed. */
const pollMs = 5000;

/** The batteries that the system has, and the UPSes of the upsd (NUT) that `battery.nut` names; nothing is loaded without it. */
export const withUps =
  <H extends Host>(create: CreateSource<Battery, H>): CreateSource<Battery, H> =>
  (host, context) => {
    const own = create(host, context);
    const followers = createListeners();
    let reader: ReturnType<typeof createUpsReader> | null = null;
    let lastStates = '';
    let cancelPoll: (() => void) | null = null;

    /** null: off. */
    const readUps = async (): Promise<UpsAnswer | null> => {
      const address = context.settings().battery.nut;
      if (address === '' || host.isRecording) {
        reader = null;
        return null;
      }
      if (reader?.address !== address) {
        const loaded = await import('./nut/ups-reader.ts');
        reader = loaded.createUpsReader(host, address);
      }
      return await reader.read();
    };
    const poll = () => {
      if (cancelPoll !== null || followers.isEmpty() || context.settings().battery.nut === '') return;
      const cancel = host.clock.after(pollMs, async () => {
        const states = statesOf(await readUps());
        // Meanwhile the last follower may have left.
        if (cancelPoll !== cancel) return;
        cancelPoll = null;
        if (states !== lastStates) followers.announce();
        lastStates = states;
        poll();
      });
      cancelPoll = cancel;
    };
    const readBoth = async (reasons: Reasons) => {
      poll();
      const collecting = collectReasons();
      const [battery, answer] = await Promise.all([own.read(collecting.reasons), readUps()]);
      if (battery === null || answer === null) {
        report(collecting.collected, reasons);
        return battery;
      }
      lastStates ||= statesOf(answer);
      return combine(battery, answer, collecting.collected, reasons);
    };
    const stopPolling = () => {
      cancelPoll?.();
      cancelPoll = null;
    };
    return {
      ...own,
      close() {
        stopPolling();
        own.close?.();
      },
      read: (reasons) => (context.settings().battery.nut === '' ? own.read(reasons) : readBoth(reasons)),
      watch(changed) {
        const stop = followers.add(changed);
        poll();
        const stopOwn = own.watch?.(changed);
        return () => {
          stop();
          if (followers.isEmpty()) stopPolling();
          stopOwn?.();
        };
      },
    };
  };

/** What listeners get at once; a charge and a load change continuously. */
const statesOf = (answer: UpsAnswer | null) =>
  JSON.stringify(answer?.devices.map(({ id, ups }) => [id, ups.state, ups.low_battery, ups.replace_battery]) ?? null);

const wholeFields = ['is_charging', 'percentage', 'time_remaining'] as const;

function combine(
  battery: Battery,
  { devices: listed, models, problems }: UpsAnswer,
  collected: readonly Reason[],
  reasons: Reasons,
): Battery {
  // An alert takes a reason for the whole module, such as the missing battery of a desktop, as one for the UPS.
  const own = collected.flatMap((one) =>
    one.field === null && listed.length > 0 ? wholeFields.map((field) => ({ ...one, field })) : [one],
  );
  report(own, reasons);
  if (problems.length > 0) reasons.missing('devices', problems.join('; '));
  for (const [field, what, ofDevice] of upsFields) {
    const place = `devices[].${field}`;
    if (collected.some((one) => one.field === place) || listed.every((device) => ofDevice(device) !== null)) continue;
    if (problems[0] === undefined || field === 'level') reasons.inherent(place, `The UPS does not report ${what}`);
    else reasons.missing(place, problems[0]);
  }
  const isListed = (name: string) =>
    models.some((model) => model !== '' && name.toLowerCase().includes(model.toLowerCase()));
  const others = battery.devices.filter(({ kind, name }) => kind !== 'ups' || !isListed(name));
  return { ...battery, devices: [...others, ...listed].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

const upsFields: readonly [string, string, (device: UpsDevice) => unknown][] = [
  ['level', 'a rough level', ({ level }) => level],
  ['percentage', 'its charge', ({ percentage }) => percentage],
  ['is_charging', 'whether it is charging', ({ is_charging }) => is_charging],
  ['ups.state', 'what it is supplied from', ({ ups }) => ups.state],
  ['ups.low_battery', 'its state', ({ ups }) => ups.low_battery],
  ['ups.replace_battery', 'its state', ({ ups }) => ups.replace_battery],
  ['ups.load', 'its load', ({ ups }) => ups.load],
  ['ups.time_remaining', 'how long its battery lasts', ({ ups }) => ups.time_remaining],
  ['ups.input_voltage', 'its input voltage', ({ ups }) => ups.input_voltage],
];
