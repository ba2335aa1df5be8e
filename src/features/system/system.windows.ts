import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Advapi32 } from '../../host/windows/native/advapi32.ts';
import { parseAdapters } from '../../host/windows/native/iphlpapi.adapters.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SYSTEM_BATTERY_STATE } from '../../host/windows/native/powrprof.structs.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import { windowsRestartReasons } from '../../host/windows/pending-restart.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createReleaseCheck } from './system.release.ts';
import type { System, SystemUser } from './system.schema.ts';
import { bestAddresses } from './windows/system.addresses.ts';
import { readWindowsDevice } from './windows/system.device.ts';
import { readWindowsFqdn, readWindowsPlatform } from './windows/system.names.ts';

export const systemWindows: CreateSource<System, WindowsHost> = (host, context) => {
  const readVersions = createReleaseCheck(host, context);
  return {
    async read(reasons) {
      const native = await host.native();
      const { kernel32, advapi32, iphlpapi } = native;
      const hostname = kernel32.computerName(1) ?? host.environment.hostname();
      const uptime = kernel32.tickCount() / 1000;
      const adapters = iphlpapi.adapters();
      return {
        hostname,
        fqdn: readWindowsFqdn(native, hostname, reasons),
        ...readWindowsPlatform(native, reasons),
        // Not the boot time of the kernel, which does not follow changes of the clock.
        boot_time: Math.round(host.clock.now() / 1000 - uptime),
        uptime,
        ...bestAddresses(adapters === null ? [] : parseAdapters(adapters), reasons),
        uuid: readUuid(native, reasons),
        users: readUsers(native, reasons),
        ...(await readVersions(reasons)),
        camera_usage: readUsage(advapi32, 'webcam'),
        microphone_usage: readUsage(advapi32, 'microphone'),
        pending_reboot: windowsRestartReasons(native).length > 0,
        power_usage: readPower(native, reasons),
        run_mode: 'standalone',
        device_info: readWindowsDevice(native, reasons),
      };
    },
  };
};

/** Created when Windows was installed. */
function readUuid({ advapi32 }: Native, reasons: Reasons): string | null {
  const guid = advapi32.value('HKLM', 'SOFTWARE\\Microsoft\\Cryptography', 'MachineGuid');
  if (typeof guid === 'string' && guid !== '') return guid.toLowerCase();
  reasons.missing('uuid', 'The registry has no MachineGuid, which every installation of Windows gets');
  return null;
}

/** WTSActive. */
const active = 0;

function readUsers({ wtsapi32 }: Native, reasons: Reasons): SystemUser[] {
  const sessions = wtsapi32.sessions();
  if (sessions === null) reasons.missing('users', 'WTSEnumerateSessions failed');
  return (sessions ?? [])
    .filter(({ user }) => user !== '')
    .map(({ user, state, station, client, since }) => ({
      name: user,
      active: state === active,
      terminal: station,
      host: client,
      started: since,
      pid: 0,
    }));
}

function readPower({ powrprof }: Native, reasons: Reasons): number | null {
  const state = powrprof.battery();
  const { Discharging = 0, Rate = 0 } = state === null ? {} : readStruct(SYSTEM_BATTERY_STATE, state);
  if (Discharging !== 0 && Rate < 0) return Math.round(-Rate / 10) / 100;
  reasons.inherent('power_usage', 'Windows reports the power draw only while the machine runs on battery');
  return null;
}

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
const programName = (name: string) => name.split('#').at(-1) ?? name;
