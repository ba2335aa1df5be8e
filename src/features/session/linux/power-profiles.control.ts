import { BusError, variant } from '@hostler/dbus/dbus.ts';
import { hasOwner, setProperty } from '../../../host/linux/dbus/bus-properties.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { ProfileControl } from '../session.contract.ts';
import { powerProfile, profilePlaces } from './power-profiles.ts';

const timeoutMs = 4000;

export const powerProfileLinux = ({ dbus: { system } }: Pick<LinuxHost, 'dbus'>): ProfileControl => {
  const known = async () => {
    const found = await powerProfile(system).read();
    if ('why' in found) throw new ServiceError('unsupported', found.why);
    return found.value;
  };
  return {
    unavailable: () =>
      known().then(
        () => null,
        (error) => shownText(messageOf(error), 300),
      ),
    async set(profile) {
      const { choices } = await known();
      if (!choices.includes(profile))
        throw new ServiceError(
          'invalid',
          `There is no power profile ${JSON.stringify(shownText(profile, 64))}; choose one of: ${choices.join(', ')}`,
        );
      for (const place of profilePlaces) {
        if (!(await hasOwner(system, place.destination))) continue;
        try {
          await setProperty(system, place, 'ActiveProfile', variant('s', profile), timeoutMs);
        } catch (error) {
          throw refusal(error);
        }
        break;
      }
      return (await known()).active;
    },
  };
};

function refusal(error: unknown): ServiceError {
  const isDenied =
    error instanceof BusError && /AccessDenied|NotAuthorized|InteractiveAuthorization/.test(error.errorName);
  return isDenied
    ? new ServiceError(
        'forbidden',
        'polkit does not allow this user to set the power profile; a rule for org.freedesktop.UPower.PowerProfiles.switch-profile allows it',
        { cause: error },
      )
    : new ServiceError('failed', `The power profile cannot be set: ${shownText(messageOf(error), 200)}`, {
        cause: error,
      });
}
