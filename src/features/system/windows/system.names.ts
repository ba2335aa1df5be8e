import type { Reasons } from '../../../core/reasons.ts';
import type { Native } from '../../../host/windows/native/native.ts';
import { RTL_OSVERSIONINFOEXW } from '../../../host/windows/native/ntdll.structs.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import type { System } from '../system.schema.ts';

const versionKey = 'SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion';
/** From this build on it is Windows 11, whatever the registry says. */
const firstOfEleven = 22_000;

type Names = Pick<System, 'platform' | 'platform_version' | 'kernel_version'>;

export function readWindowsPlatform({ advapi32, ntdll }: Pick<Native, 'advapi32' | 'ntdll'>, reasons: Reasons): Names {
  const text = (name: string) => String(advapi32.value('HKLM', versionKey, name) ?? '');
  const version = ntdll.version();
  const kernel = version === null ? null : readStruct(RTL_OSVERSIONINFOEXW, version);
  if (kernel === null) reasons.missing('kernel_version', 'RtlGetVersion failed');
  const isServer = kernel !== null && kernel.wProductType !== 1;
  const name = text('ProductName') || 'Windows';
  const build = [kernel?.dwBuildNumber ?? text('CurrentBuild'), text('UBR')].filter((part) => part !== '').join('.');
  const release = text('DisplayVersion') || text('ReleaseId');
  return {
    platform: platformName(name, kernel?.dwBuildNumber ?? 0, isServer),
    platform_version: [release, build === '' ? '' : `(build ${build})`].filter((part) => part !== '').join(' '),
    kernel_version:
      kernel === null ? null : `${kernel.dwMajorVersion}.${kernel.dwMinorVersion}.${kernel.dwBuildNumber}`,
  };
}

export function platformName(name: string, build: number, isServer: boolean): string {
  return !isServer && build >= firstOfEleven ? name.replace('Windows 10', 'Windows 11') : name;
}

/** The DNS name, with its domain if one is set. */
export function readWindowsFqdn({ kernel32 }: Pick<Native, 'kernel32'>, hostname: string, reasons: Reasons): string {
  const full = kernel32.computerName(3) ?? hostname;
  if (!full.includes('.'))
    reasons.inherent('fqdn', 'No domain is configured for this machine, so this is its hostname alone');
  return full;
}
