import fs from 'node:fs';
import path from 'node:path';
import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Installation, InstallationActivity } from '../installation.contract.ts';
import { readKeptLog } from './service-log.ts';
import { makeSystemUser, removeSystemUser } from './system-user.ts';
import { createServiceManager } from './systemd-manager.ts';
import { systemUser, unitName, unitText } from './unit.ts';

interface UnitParts {
  isSystem: boolean;
  /** What the unit starts. */
  command: readonly string[];
  configHome: string;
  /** The root directory of the machine's files; for tests. */
  root?: string;
}

/** A unit of systemd: of the user, or of the machine. */
export function createUnitInstallation(
  host: LinuxHost,
  { isSystem, command, configHome, root = '/' }: UnitParts,
): Installation {
  const { dbus, environment, clock } = host;
  const kind = isSystem ? 'system' : 'user';
  const manager = createServiceManager(isSystem ? dbus.system : dbus.session, clock);
  const places = unitPlaces(kind, configHome, root);
  const file = path.join(places.own, unitName);
  const when = isSystem ? 'when the machine starts' : 'when you log in';
  const lingering = createLingering(dbus.system, environment, path.join(root, 'var/lib/systemd/linger'));

  const unitState = () => {
    const isMasked = linkOf(file) === '/dev/null';
    const link = findEnabled(places);
    return { isMasked, link, isEnabled: link !== null && !isMasked };
  };
  /** The unit of the package is enough if it starts the same program. */
  const provideUnit = (): string[] => {
    const text = unitText(kind, command);
    const vendor = vendorUnit(places);
    if (vendor?.text === text || readIf(file) === text) return [];
    fs.mkdirSync(places.own, { recursive: true });
    fs.writeFileSync(file, text);
    return [`The unit is ${file}`];
  };
  const requireManager = () => {
    if (isSystem || fs.existsSync(path.join(host.paths.runtime ?? '', 'systemd'))) return;
    throw new Error(
      `No systemd user manager is running for ${environment.userName}. Log in as this user, or install Hostler for the machine with --system`,
    );
  };
  const enable = async () => {
    requireManager();
    if (unitState().isMasked) await manager.unmask(unitName);
    const lines = provideUnit();
    await manager.reload();
    await manager.enable(unitName);
    await manager.reload();
    return lines;
  };
  const disable = async () => {
    if (unitState().link === null) return;
    await manager.disable(unitName);
    // Enabled for all users by the administrator: it can only be masked for this user.
    if (unitState().isEnabled && readIf(file) === null) await manager.mask(unitName);
    await manager.reload();
    const { link, isEnabled } = unitState();
    if (isEnabled) throw new Error(`the administrator has enabled it for all users: ${link}`);
  };
  const started = (activity: InstallationActivity): string[] => {
    if (activity.state === 'active') return [`Hostler is running as process ${activity.pid}: ${activity.status}`];
    const command = `journalctl ${isSystem ? '' : '--user '}--unit hostler`;
    throw new Error(
      `Hostler is installed, but does not start (${activity.result || activity.state}). Run "${command}" to see why`,
    );
  };
  return {
    async state() {
      const { isEnabled, isMasked, link } = unitState();
      return { startsAtLogin: isEnabled, isSwitchedOff: isMasked, lines: [stateLine(when, isMasked, link)] };
    },
    setAutostart: async (isWanted) => void (await (isWanted ? enable() : disable())),
    async install({ mayStart }) {
      const made = isSystem ? await makeSystemUser(host, root) : [];
      const lines = [...made, ...(await enable()), `Hostler is started ${when}`];
      return mayStart ? [...lines, ...started(await manager.restart(unitName))] : lines;
    },
    async remove({ purge }) {
      requireManager();
      const wasThere = unitState().link !== null || (await manager.activity(unitName)).pid !== null;
      await manager.stop(unitName);
      await disable();
      await manager.forget(unitName);
      const isOurs = readIf(file) !== null;
      fs.rmSync(file, { force: true });
      await manager.reload();
      return [
        wasThere
          ? `Hostler was stopped, and is no longer started ${when}`
          : `Hostler is not started ${when}; nothing was changed`,
        ...(isOurs ? [`${file} was removed`] : []),
        ...(isSystem && purge ? await removeSystemUser(host, root) : []),
      ];
    },
    async restart() {
      requireManager();
      return started(await manager.restart(unitName));
    },
    activity: () => manager.activity(unitName),
    ...(isSystem ? {} : { linger: lingering }),
    keptLog: (count) => readKeptLog(host, isSystem, count),
    ...(isSystem ? { leftovers: [path.join(root, systemUser.home)] } : {}),
  };
}

function stateLine(when: string, isMasked: boolean, link: string | null): string {
  if (isMasked) return `Hostler is not started ${when}: the unit is masked`;
  return link === null ? `Hostler is not started ${when}` : `Hostler is started ${when}: ${link}`;
}

function readIf(file: string): string | null {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(file, 'utf8') : null;
}

function linkOf(file: string): string | null {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? fs.readlinkSync(file) : null;
}

/** The search path of systemd. https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html#Unit%20File%20Load%20Path */
interface UnitPlaces {
  own: string;
  /** Where it may be enabled: by the user, or by the administrator for all users. */
  configured: string[];
  vendor: string[];
  target: string;
}

function unitPlaces(kind: 'user' | 'system', configHome: string, root: string): UnitPlaces {
  const etc = path.join(root, 'etc/systemd', kind);
  const own = kind === 'system' ? etc : path.join(configHome, 'systemd/user');
  return {
    own,
    configured: [...new Set([own, etc, path.join(root, 'run/systemd', kind)])],
    vendor: ['usr/local/lib', 'usr/lib', 'lib'].map((library) => path.join(root, library, 'systemd', kind)),
    target: kind === 'system' ? 'multi-user.target' : 'default.target',
  };
}

/** The link that makes systemd start it; null: it is not enabled. */
function findEnabled({ configured, target }: UnitPlaces): string | null {
  const links = configured.map((directory) => path.join(directory, `${target}.wants`, unitName));
  return links.find((link) => fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined) ?? null;
}

function vendorUnit({ vendor }: UnitPlaces): { file: string; text: string } | null {
  const file = vendor.map((directory) => path.join(directory, unitName)).find((candidate) => fs.existsSync(candidate));
  return file === undefined ? null : { file, text: fs.readFileSync(file, 'utf8') };
}

/** Whether the systemd of a user runs from boot on and after logout. logind has a file for each such user. */
function createLingering(bus: Bus, { uid, userName }: LinuxHost['environment'], directory: string) {
  return {
    isOn: async () => fs.existsSync(`${directory}/${userName}`),
    async set(isWanted: boolean) {
      try {
        await bus.call({
          destination: 'org.freedesktop.login1',
          path: '/org/freedesktop/login1',
          interface: 'org.freedesktop.login1.Manager',
          member: 'SetUserLinger',
          signature: 'ubb',
          body: [uid ?? 0, isWanted, false],
          timeoutMs: 10_000,
        });
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        throw new Error(
          `logind does not let this user do that (${error.message}). Run "sudo loginctl ${isWanted ? 'enable' : 'disable'}-linger ${userName}"`,
          { cause: error },
        );
      }
    },
  };
}
