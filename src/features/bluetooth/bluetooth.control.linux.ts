import { type BusCall, BusError, variant } from '@hostler/dbus/dbus.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { shownText } from '../../lib/printable-text.ts';
import type { BluetoothControl } from './bluetooth.contract.ts';
import type { BluetoothOrderInput } from './bluetooth.schema.ts';
import {
  type BluezAdapter,
  type BluezDevice,
  type BluezObjects,
  bluezAdapter,
  bluezDevice,
  bluezName,
  createBluez,
  whyNoAdapter,
} from './bluez.linux.ts';

/** The adapter waits 5 to 20 s for a headset that is switched off. */
const connectMs = 25_000;
const answerMs = 5000;
const properties = 'org.freedesktop.DBus.Properties';

export const bluetoothControlLinux = ({
  dbus: { system },
  files,
}: Pick<LinuxHost, 'dbus' | 'files'>): BluetoothControl => {
  const bluez = createBluez(system);
  const found = async (): Promise<BluezObjects> => {
    const objects = await bluez.read().catch((error) => {
      throw new ServiceError('failed', `bluetoothd does not answer: ${textOf(error)}`, { cause: error });
    });
    if (objects !== null && objects.adapters.length > 0) return objects;
    throw new ServiceError('unsupported', whyNoAdapter(files, objects !== null).reason);
  };
  const call = (path: string, face: string, member: string, rest: Partial<BusCall> = {}) =>
    system.call({ destination: bluezName, path, interface: face, member, timeoutMs: answerMs, ...rest });
  const ask = async (path: string, face: string, property: string) =>
    (await call(path, properties, 'Get', { signature: 'ss', body: [face, property] }))[0] === true;

  const order = async (input: BluetoothOrderInput, verb: 'connect' | 'disconnect') => {
    const { adapters, devices } = await found();
    const { path, adapter, address, name, connected } = deviceMeant(devices, input);
    const { powered = false } = adapters.find(({ id }) => id === adapter) ?? {};
    const wanted = verb === 'connect';
    const answer = { address, name, adapter };
    if (connected === wanted) return { ...answer, connected, done: true };
    if (!powered)
      throw new ServiceError(
        'conflict',
        `${name} cannot be ${verb}ed: the Bluetooth adapter ${adapter} is off; "${ownCommand('bluetooth on')}" switches it on`,
      );
    try {
      await call(path, bluezDevice, wanted ? 'Connect' : 'Disconnect', { timeoutMs: connectMs });
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      if (error.errorName === 'Client.Timeout') return { ...answer, connected, done: false };
      if (!isSoAlready(error)) throw orderRefusal(error, `${name} cannot be ${verb}ed`);
    }
    const now = await ask(path, bluezDevice, 'Connected').catch(() => wanted);
    if (now !== wanted)
      throw new ServiceError('failed', `${name} was ${verb}ed, but it is ${now ? '' : 'not '}connected now`);
    return { ...answer, connected: now, done: true };
  };

  return {
    unavailable: () => found().then(() => null, messageOf),
    connect: (input) => order(input, 'connect'),
    disconnect: (input) => order(input, 'disconnect'),
    async power({ adapter, on }) {
      const chosen = adaptersMeant((await found()).adapters, adapter ?? null);
      const adapters: { id: string; powered: boolean }[] = [];
      for (const { path, id, powered } of chosen) {
        try {
          if (powered !== on)
            await call(path, properties, 'Set', {
              signature: 'ssv',
              body: [bluezAdapter, 'Powered', variant('b', on)],
            });
          adapters.push({ id, powered: powered === on ? on : await ask(path, bluezAdapter, 'Powered') });
        } catch (error) {
          if (!(error instanceof BusError)) throw error;
          throw orderRefusal(error, `The Bluetooth adapter ${id} cannot be switched ${on ? 'on' : 'off'}`);
        }
      }
      return { adapters };
    },
  };
};

const mostNamed = 20;

/** Finds paired devices only, never others nearby. */
function deviceMeant(devices: readonly BluezDevice[], { device: wanted, adapter }: BluetoothOrderInput): BluezDevice {
  const paired = devices.filter((each) => each.paired && (adapter ?? each.adapter) === each.adapter);
  const byAddress = paired.filter(({ address }) => address === wanted.toUpperCase());
  const meant = byAddress.length > 0 ? byAddress : paired.filter(({ name }) => name === wanted);
  const [only, another] = meant;
  const listed = (which: readonly BluezDevice[]) =>
    which
      .slice(0, mostNamed)
      .map(({ name, address, adapter: by }) => `${name} (${address}, ${by})`)
      .join(', ');
  if (only === undefined)
    throw new ServiceError(
      'not_found',
      `There is no paired device ${JSON.stringify(shownText(wanted, 100))}; ${
        paired.length === 0 ? 'no device is paired' : `paired: ${listed(paired)}`
      }. A new one has to be paired on the machine itself`,
    );
  if (another !== undefined)
    throw new ServiceError(
      'conflict',
      `Several devices are meant; choose one by its address and adapter: ${listed(meant)}`,
    );
  return only;
}

function adaptersMeant(adapters: readonly BluezAdapter[], wanted: string | null): readonly BluezAdapter[] {
  const chosen = wanted === null ? adapters : adapters.filter(({ id }) => id === wanted);
  if (chosen.length > 0) return chosen;
  throw new ServiceError(
    'not_found',
    `There is no Bluetooth adapter ${JSON.stringify(shownText(wanted ?? '', 32))}; adapters: ${adapters.map(({ id }) => id).join(', ')}`,
  );
}

const isSoAlready = ({ errorName }: BusError) => /^org\.bluez\.Error\.(AlreadyConnected|NotConnected)$/.test(errorName);

const textOf = (error: unknown) => shownText(messageOf(error), 200).replace(/\.$/, '');

/** The error of bluetoothd or the bus with a readable reason. */
function orderRefusal(error: BusError, what: string): ServiceError {
  const refuse = (code: ServiceError['code'], why: string) =>
    new ServiceError(code, `${what}: ${why}`, { cause: error });
  const { errorName, message } = error;
  if (errorName.endsWith('.AccessDenied') || errorName.endsWith('.AuthorizationRequired'))
    return refuse(
      'forbidden',
      'the user of this service lacks the permission; add the user to the group bluetooth, or see the policy of the bus in bluetooth.conf',
    );
  if (errorName === 'org.bluez.Error.InProgress') return refuse('conflict', 'a similar operation is in progress');
  if (errorName === 'org.bluez.Error.NotReady') return refuse('conflict', 'the adapter is off or not ready');
  if (/rfkill|blocked/i.test(`${errorName} ${message}`))
    return refuse(
      'conflict',
      'it is blocked by a switch of the machine, or by rfkill; "rfkill unblock bluetooth" releases the latter',
    );
  if (/page-timeout|connection-timeout|host-down|connection-abort-by-local|Host is down/i.test(message))
    return refuse('failed', 'it does not answer; it may be switched off, too far away or connected to something else');
  if (errorName === 'Client.Timeout') return refuse('failed', 'bluetoothd did not answer in time');
  return refuse('failed', textOf(error));
}
