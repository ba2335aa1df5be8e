import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { commandLine, root } from './service.ts';

/** The output of two commands, on a machine and in a container on it. */
export interface Seen {
  system: Record<string, unknown>;
  networks: { networks: { name: string; addresses: { address: string }[] }[] };
  /** Field → sentence. */
  reasons: Map<string, string>;
}

export interface ContainerOptions {
  /** Run in the container before Hostler is called, such as hiding a file. */
  before?: string;
  /** Variables of the container, as documented. */
  env: Record<string, string>;
}

/** Whether namespaces can be made here; null: yes, else why not. */
export function whyNoNamespaces(): string | null {
  if (process.getuid?.() !== 0) return 'a container of namespaces is made by root only';
  const attempt = 'mount -t proc proc /proc && ip link add a0 type veth peer name a1';
  const { status, stderr } = spawnSync('unshare', [...namespaces, 'sh', '-c', attempt], { encoding: 'utf8' });
  return status === 0 ? null : `namespaces cannot be made here: ${stderr?.trim() || 'unshare is missing'}`;
}

const namespaces = ['--mount', '--propagation=private', '--uts', '--net', '--pid', '--ipc', '--fork', '--kill-child'];

/**
 * A machine made of namespaces, with its own name, network card and first process, and a container on it that has none of
 * them: like `podman run`, without an image. Everything is removed when it returns.
 */
export function lookFromContainer({ before = '', env }: ContainerOptions): { machine: Seen; container: Seen } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-container-'));
  fs.writeFileSync(path.join(directory, 'container.sh'), containerScript(before, env));
  const { status, stderr } = spawnSync('unshare', [...namespaces, 'sh', '-euc', machineScript], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', D: directory, ROOT: root, HOME: directory },
    timeout: 170_000,
  });
  try {
    if (status !== 0) throw new Error(stderr);
    return { machine: seenIn(directory, 'machine'), container: seenIn(directory, 'container') };
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

const [program = '', ...args] = commandLine(false);
const hostler = [fs.realpathSync(program), ...args].map((word) => `'${word}'`).join(' ');
const ask = (who: string) =>
  [
    `${hostler} data system --json > "$OUT/${who}.system"`,
    `${hostler} data networks --json > "$OUT/${who}.networks"`,
    `${hostler} doctor --json > "$OUT/${who}.doctor"`,
  ].join('\n');

const machineScript = `
mount -t proc proc /proc
mount -t sysfs sysfs /sys
cp -a /etc "$D/etc"
mount --bind "$D/etc" /etc
echo the-machine > /etc/hostname
echo '127.0.1.1 the-machine.example.org the-machine' > /etc/hosts
hostname the-machine
ip link set lo up
ip link add net0 address 02:00:00:00:00:10 type veth peer name net1
ip addr add 192.0.2.10/24 dev net0
ip -6 addr add 2001:db8::10/64 dev net0 nodad 2>/dev/null || true
ip link set net1 up
ip link set net0 up
ip route add default via 192.0.2.1
export OUT="$D"
export SERVICE_STATE_DIR="$D/state" SERVICE_CONFIG_DIR="$D/config" XDG_RUNTIME_DIR="$D/run"
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$D/no-bus"
${ask('machine')}
# Not by this process itself: it is the first of the machine, and stays in its namespaces.
unshare ${namespaces.join(' ')} sh -eu "$D/container.sh"
exit 0
`;

/** Its own /, with that of the machine at /host. */
const containerScript = (before: string, env: Record<string, string>) => `
R="$D/root"
mkdir -p "$R/host" "$R/proc" "$R/sys" "$R/dev" "$R/tmp" "$R/etc" "$R/usr" "$R/out" "$R/var"
mount --rbind / "$R/host"
mount --bind /usr "$R/usr"
mount --rbind /dev "$R/dev"
mount --bind "$D" "$R/out"
for part in bin sbin lib lib64; do
  if [ -L "/$part" ]; then cp -P "/$part" "$R/$part"
  elif [ -d "/$part" ]; then mkdir "$R/$part"; mount --bind "/$part" "$R/$part"; fi
done
mkdir -p "$R$ROOT"
mount --bind "$ROOT" "$R$ROOT"
mount -t proc proc "$R/proc"
mount -t sysfs sysfs "$R/sys"
echo 'root:x:0:0::/:/bin/sh' > "$R/etc/passwd"
echo the-container > "$R/etc/hostname"
hostname the-container
ip link set lo up
ip link add eth0 address 02:00:00:00:00:99 type veth peer name eth1
ip addr add 10.99.0.2/24 dev eth0
ip link set eth1 up
ip link set eth0 up
ip route add default via 10.99.0.1
cat > "$R/inside.sh" <<'END'
${before}
${ask('container')}
END
export OUT=/out
unset SERVICE_STATE_DIR SERVICE_CONFIG_DIR
${Object.entries(env)
  .map(([name, value]) => `export ${name}='${value}'`)
  .join('\n')}
exec chroot "$R" sh -eu /inside.sh
`;

function seenIn(directory: string, who: string): Seen {
  const read = (what: string) => JSON.parse(fs.readFileSync(path.join(directory, `${who}.${what}`), 'utf8'));
  const modules = read('doctor').modules as { name: string; reasons: { field: string | null; reason: string }[] }[];
  const reasons = modules.flatMap(({ name, reasons: given }) =>
    given.map(({ field, reason }): [string, string] => [`${name}.${field}`, reason]),
  );
  return { system: read('system'), networks: read('networks'), reasons: new Map(reasons) };
}
