import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { lookFromContainer, type Seen, whyNoNamespaces } from '../harness/container.ts';
import { needs } from '../harness/parts.ts';
import { root } from '../harness/service.ts';

setDefaultTimeout(180_000);

const problem = needs('unshare', 'ip', 'chroot') ? whyNoNamespaces() : 'unshare, ip or chroot is missing';
if (problem !== null) console.warn(`skipped: ${problem}`);

/** The documented command without an image of ours: what it mounts, and the variables it sets. */
function documentedCommand() {
  const text = fs.readFileSync(path.join(root, 'docs', 'run-as-a-service.md'), 'utf8');
  const [command = ''] = /^podman run [^`]*HOSTLER_ROOT[^`]*/m.exec(text) ?? [];
  const words = [...command.replaceAll('\\\n', ' ').matchAll(/'[^']*'|(?:[^\s']|'[^']*')+/g)].map(([word]) => word);
  const after = (option: string) => words.flatMap((word, at) => (words[at - 1] === option ? [word] : []));
  const env = after('-e').map((pair) => pair.replaceAll("'", ''));
  return {
    mounts: after('-v'),
    env: Object.fromEntries(env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
  };
}

const identity = ({
  system: { hostname, fqdn, ip_address_4, ip_address_6, mac_address, kernel_version, uuid },
}: Seen) => ({
  hostname,
  fqdn,
  ip_address_4,
  ip_address_6,
  mac_address,
  kernel_version,
  uuid,
});
const addresses = ({ networks: { networks } }: Seen) =>
  networks.map(({ name, addresses: all }) => [name, ...all.map(({ address }) => address).sort()]);

describe.skipIf(problem !== null)('in a container with namespaces of its own', () => {
  test('the documented command shows the machine: its name, its addresses, its interfaces', () => {
    const { mounts, env } = documentedCommand();
    expect(mounts).toContainEqual(expect.stringMatching(/^\/:\/host:ro/));
    expect(env).toMatchObject({ HOSTLER_ROOT: '/host' });
    const { machine, container } = lookFromContainer({ env });
    expect(machine.system).toMatchObject({ hostname: 'the-machine', ip_address_4: '192.0.2.10' });
    expect(machine.system.mac_address).toBe('02:00:00:00:00:10');
    expect(identity(container)).toEqual(identity(machine));
    expect(addresses(container)).toEqual(addresses(machine));
    expect(JSON.stringify([container.system, container.networks])).not.toMatch(/10\.99\.0\.2|the-container/);
  });

  test('with /proc alone, the host name comes from the first process of the machine', () => {
    const env = { ...stateIn, HOSTLER_PROC: '/host/proc', HOSTLER_SYS: '/host/sys' };
    const { machine, container } = lookFromContainer({ env });
    expect(container.system).toMatchObject({ hostname: 'the-machine', ip_address_4: '192.0.2.10' });
    expect(addresses(container)).toEqual(addresses(machine));
  });

  test('what the machine does not show is null with the reason, never the value of the container', () => {
    const { container } = lookFromContainer({
      env: { ...stateIn, HOSTLER_ROOT: '/host' },
      before: 'mount -t tmpfs none /host/proc/1\nmount --bind /dev/null /host/etc/hostname',
    });
    expect(container.system).toMatchObject({ hostname: null, fqdn: null, ip_address_4: '', mac_address: '' });
    expect(container.reasons.get('system.hostname')).toContain('--uts=host');
    expect(container.reasons.get('system.fqdn')).toContain('--uts=host');
    expect(container.reasons.get('system.ip_address_4')).toContain('--network=host');
    expect(JSON.stringify([container.system, container.networks])).not.toMatch(/10\.99\.0\.2|the-container/);
  });
});

const stateIn = { SERVICE_STATE_DIR: '/var/state', SERVICE_CONFIG_DIR: '/var/config' };
