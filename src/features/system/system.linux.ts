import type { CreateSource } from '../../core/module.ts';
import { type Reasons, remembered } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import { machineUuid } from '../../host/linux/hardware/machine-uuid.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { findPendingReboot } from '../../host/linux/proc/pending-reboot.ts';
import { sha256 } from '../../lib/digest.ts';
import { inSlices } from '../../lib/slices.ts';
import { whoHasOpen } from './linux/open-files.ts';
import { readAddresses } from './linux/system.addresses.ts';
import { readDevice } from './linux/system.device.ts';
import { createMicrophoneUsage } from './linux/system.microphone.ts';
import { readNames, readPlatform } from './linux/system.names.ts';
import { createSystemPowerMeter } from './linux/system.power.ts';
import { createUserReader } from './linux/system.users.ts';
import { createReleaseCheck } from './system.release.ts';
import type { System } from './system.schema.ts';

export const systemLinux: CreateSource<System, LinuxHost> = (host, context) => {
  const { files, environment } = host;
  const readVersions = createReleaseCheck(host, context);
  const readPower = createSystemPowerMeter(host);
  const readUsers = createUserReader(host);
  const microphone = createMicrophoneUsage(host);
  const uptime = files.keep('/proc/uptime');
  const fixed = remembered(host.clock, Number.POSITIVE_INFINITY, (reasons) => ({
    platform: { ...readPlatform(files, reasons), kernel_version: environment.kernel },
    uuid: readUuid(host, reasons),
    device_info: readDevice(files, reasons),
  }));
  const rare = remembered(host.clock, rareMs, (reasons) => {
    return {
      names: readNames(host, reasons),
      boot_time: readBootTime(files, reasons),
      pending_reboot: readPendingReboot(host, reasons),
    };
  });
  const slow = remembered(host.clock, slowMs, (reasons) => ({
    addresses: readAddresses(host, reasons),
    cameras: cameraDevices(files),
  }));
  return {
    async read(reasons) {
      const { platform, uuid, device_info } = fixed(reasons);
      const { names, boot_time, pending_reboot } = rare(reasons);
      const { addresses, cameras } = slow(reasons);
      const machine = {
        ...names,
        ...platform,
        boot_time,
        uptime: parseUptime(uptime.text(), reasons),
        ...addresses,
        uuid,
      };
      const [camera_usage, users, versions, microphone_usage, power_usage] = await Promise.all([
        inSlices(host.clock, readCameraUsage(files, cameras, reasons)),
        readUsers(reasons),
        readVersions(reasons),
        microphone.read(reasons),
        readPower(reasons),
      ]);
      const use = { camera_usage, microphone_usage, pending_reboot, power_usage };
      return { ...machine, users, ...versions, ...use, run_mode: 'standalone', device_info };
    },
    close() {
      microphone.close();
      uptime.close();
    },
  };
};

/** Moves when the clock is set. */
function readBootTime(files: LinuxHost['files'], reasons: Reasons): number | null {
  const boot = /^btime (\d+)/m.exec(files.text('/proc/stat') ?? '')?.[1];
  if (boot === undefined) reasons.missing('boot_time', `/proc/stat cannot be read; ${procHint}`);
  return boot === undefined ? null : Number(boot);
}

function parseUptime(text: string | null, reasons: Reasons): number | null {
  const up = /^\d+(?:\.\d+)?/.exec(text ?? '')?.[0];
  if (up === undefined) reasons.missing('uptime', `/proc/uptime cannot be read; ${procHint}`);
  return up === undefined ? null : Number(up);
}

const procHint = 'mount /proc, or set HOSTLER_PROC to where it is mounted';

function readUuid(host: LinuxHost, reasons: Reasons): string {
  const { uuid, stable } = machineUuid(host, sha256);
  if (!stable) {
    reasons.missing(
      'uuid',
      `There is no /etc/machine-id, and ${host.paths.state} cannot be written, so this identifier changes with every start`,
    );
  }
  return uuid;
}

/** Cache time of what users change; together it costs more than all the rest. */
const slowMs = 5000;
/** Cache time of what rarely changes. */
const rareMs = 30_000;

/** Whether a package requested a restart, or a newer kernel is installed. The module updates has the reasons. */
export function readPendingReboot(host: Pick<LinuxHost, 'files' | 'environment'>, reasons: Reasons): boolean {
  const { required, seesKernels } = findPendingReboot(host);
  if (!required && !seesKernels) {
    reasons.inherent(
      'pending_reboot',
      'No installed kernel is visible here, so only restart requests from packages count',
    );
  }
  return required;
}

/** Names of the processes that have one of these cameras open. */
export function* readCameraUsage(
  files: LinuxHost['files'],
  cameras: readonly string[],
  reasons: Reasons,
): Generator<void, string[]> {
  if (cameras.length === 0) {
    reasons.inherent('camera_usage', 'This machine has no camera');
    return [];
  }
  const inDoubt = cameras.filter((camera) => isCameraIdle(files, camera) !== true);
  if (inDoubt.length === 0) return [];
  const { names, hidden } = yield* whoHasOpen(files, new Set(inDoubt));
  if (names.length === 0 && hidden) {
    reasons.missing(
      'camera_usage',
      'A process of another user may be using the camera; the service can see that only as root or with CAP_SYS_PTRACE',
    );
  }
  return names;
}

/** Device files of the cameras, such as /dev/video0. Video codecs have such files as well and are left out. */
export function cameraDevices(files: Files): string[] {
  return files
    .entries('/dev')
    .filter((name) => name.startsWith('video') && /^video\d+$/.test(name) && captures(files, name))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((name) => `/dev/${name}`);
}

const numberOf = (name: string) => Number(name.slice('video'.length));

/** udev has queried the capabilities of each device; without udev every device counts. */
function captures(files: Files, name: string): boolean {
  const number = files.text(`/sys/class/video4linux/${name}/dev`)?.trim();
  const known = /^E:ID_V4L_CAPABILITIES=(.*)$/m.exec(files.text(`/run/udev/data/c${number}`) ?? '')?.[1];
  return known === undefined || known.includes(':capture:');
}

/** Whether the driver has references: without any, no process has the camera open. null: the driver is built in and not counted. */
function isCameraIdle(files: Files, device: string): boolean | null {
  const name = device.slice('/dev/'.length);
  const references = files.text(`/sys/class/video4linux/${name}/device/driver/module/refcnt`);
  return references === null ? null : references.trim() === '0';
}
