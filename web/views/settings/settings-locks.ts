import { isRecord } from '../../components/form/schema-form.tsx';
import { ownCommand } from '../../state/own-command.ts';
import { protection } from '../../state/settings.generated.ts';

const { localOnly, ownerOnly, remotelyChangeable } = protection;
const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

/** Settings locked by the administrator of the machine. */
export interface SettingsLocks {
  file: string | null;
  keys: string[];
}

/** Why a setting cannot be changed from this page; null: it can. */
export const lockFor = ({ security }: Record<string, unknown>, { file, keys }: SettingsLocks) => {
  const everywhere = isHere || (isRecord(security) && security.remoteAdmin === true);
  return (path: string): string | null => {
    if (keys.includes(path)) return `Locked by the administrator of this machine, in ${file}.`;
    if (ownerOnly.includes(path))
      return `Can be changed only in the settings file, or with “${ownCommand('settings set')}” on the machine itself.`;
    if (!isHere && localOnly.includes(path)) return 'Can be changed only on the machine itself.';
    const [first = ''] = path.split('.');
    if (everywhere || path.includes('.') || remotelyChangeable.includes(first)) return null;
    return 'Can be changed only on the machine itself, unless security.remoteAdmin is set there.';
  };
};
