import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';

const storeKey = 'Software\\Microsoft\\Windows\\CurrentVersion\\CapabilityAccessManager\\ConsentStore';

/** Programs that use a camera or microphone, as in the settings of Windows: those that started and have not stopped. Packaged ones are named by their package family, others by their program file. */
export function readUsage(
  advapi32: Pick<Advapi32, 'keys' | 'bigValue'>,
  capability: 'webcam' | 'microphone',
): string[] {
  const key = `${storeKey}\\${capability}`;
  const names = advapi32.keys('HKCU', key);
  const packaged = names.filter((name) => name !== 'NonPackaged' && isUsing(advapi32, `${key}\\${name}`));
  const plain = `${key}\\NonPackaged`;
  const programs = names.includes('NonPackaged')
    ? advapi32.keys('HKCU', plain).filter((name) => isUsing(advapi32, `${plain}\\${name}`))
    : [];
  return [...packaged.map(familyName), ...programs.map(programName)].sort();
}

function isUsing(advapi32: Pick<Advapi32, 'bigValue'>, key: string): boolean {
  const started = advapi32.bigValue('HKCU', key, 'LastUsedTimeStart') ?? 0;
  return started > 0 && advapi32.bigValue('HKCU', key, 'LastUsedTimeStop') === 0;
}

/** Without the publisher: Microsoft.WindowsCamera_8wekyb3d8bbwe. */
const familyName = (name: string) => name.replace(/_[0-9a-z]{13}$/, '');

/** The registry has # for the backslashes of a path. */
export const programName = (name: string) => name.split('#').at(-1) ?? name;
