import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { System } from '../system.schema.ts';
import { readOsRelease } from './os-release.ts';

/** Both null: not reported by the machine. */
export function readNames(
  { files, identity }: Pick<LinuxHost, 'files' | 'identity'>,
  reasons: Reasons,
): Pick<System, 'hostname' | 'fqdn'> {
  const known = identity.hostname();
  const domain = identity.sharesNames ? kernelDomain(files) : '';
  if (known.value !== null) return { hostname: known.value, fqdn: readFqdn(known.value, files, reasons, domain) };
  reasons.missing('hostname', known.reason);
  reasons.missing('fqdn', known.reason);
  return { hostname: null, fqdn: null };
}

/** The name of this machine in its own configuration; no server is queried. */
export function readFqdn(
  hostname: string,
  files: LinuxHost['files'],
  reasons: Reasons,
  domain = kernelDomain(files),
): string {
  if (hostname.includes('.')) return hostname;
  const known =
    parseHosts(files.text('/etc/hosts') ?? '', hostname) ??
    joined(hostname, domain) ??
    joined(hostname, parseSearchDomain(files.text('/etc/resolv.conf') ?? ''));
  if (known !== null) return known;
  reasons.inherent('fqdn', 'No domain is configured for this machine, so this is its hostname alone');
  return hostname;
}

/** The NIS domain, which some use; the kernel returns that of the caller's namespace. */
function kernelDomain(files: LinuxHost['files']): string {
  const domain = files.text('/proc/sys/kernel/domainname')?.trim() ?? '';
  return domain === '(none)' ? '' : domain;
}

const joined = (hostname: string, domain: string) => (domain === '' ? null : `${hostname}.${domain}`);

/** The first name with a domain in a line that names this machine. */
export function parseHosts(text: string, hostname: string): string | null {
  const own = hostname.toLowerCase();
  for (const line of text.split('\n')) {
    const names = (line.split('#')[0] ?? '').toLowerCase().trim().split(/\s+/).slice(1);
    if (!names.some((name) => name === own || name.startsWith(`${own}.`))) continue;
    // localhost.localdomain identifies no machine.
    const full = names.find((name) => name.includes('.') && !name.startsWith('localhost'));
    if (full !== undefined) return full;
  }
  return null;
}

/** `domain` and `search` exclude each other; the last one counts. */
export function parseSearchDomain(text: string): string {
  const lines = text.split('\n').map((line) => /^\s*(?:domain|search)\s+(\S+)/.exec(line)?.[1]);
  // A lone dot means the root.
  return lines.findLast((domain) => domain !== undefined)?.replace(/\.$/, '') ?? '';
}

export function readPlatform(files: LinuxHost['files'], reasons: Reasons) {
  const release = readOsRelease(files);
  const version = release.get('VERSION') || release.get('VERSION_ID') || release.get('BUILD_ID') || '';
  if (release.size === 0) {
    reasons.missing('platform_version', '/etc/os-release cannot be read, so the distribution is unknown');
  } else if (version === '') reasons.inherent('platform_version', 'This distribution has no version numbers');
  return { platform: release.get('NAME') || 'Linux', platform_version: version };
}
