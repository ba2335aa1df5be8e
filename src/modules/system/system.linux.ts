import type { CreateSource, Reason, Reasons } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';
import { machineUuid } from '../../host/linux/machine-uuid.ts';
import { readAddresses } from './system.addresses.ts';
import { readCameraUsage } from './system.camera.ts';
import { readDevice } from './system.device.ts';
import { readMicrophoneUsage } from './system.microphone.ts';
import { readFqdn, readPlatform } from './system.names.ts';
import { createPowerMeter } from './system.power.ts';
import { readPendingReboot } from './system.reboot.ts';
import { createReleaseCheck } from './system.release.ts';
import type { System } from './system.schema.ts';
import { readUsers } from './system.users.ts';

export const systemLinux: CreateSource<System> = (host, context) => {
  const { files, environment } = host;
  const readVersions = createReleaseCheck(host, context);
  const readPower = createPowerMeter(host);
  const fixed = remembered((reasons) => ({
    platform: { ...readPlatform(files, reasons), kernel_version: environment.kernel },
    uuid: readUuid(host, reasons),
    device_info: readDevice(files, reasons),
  }));
  return {
    async read(reasons) {
      // These wait for somebody else, so they do it at the same time, and the rest meanwhile.
      const waiting = Promise.all([
        readUsers(host, reasons),
        readVersions(reasons),
        readMicrophoneUsage(host, reasons),
        readPower(reasons),
      ]);
      // If the rest fails, nobody comes back for them.
      waiting.catch(() => {});
      const hostname = environment.hostname();
      const fqdn = readFqdn(hostname, files, reasons);
      const { platform, uuid, device_info } = fixed(reasons);
      const machine = {
        hostname,
        fqdn,
        ...platform,
        ...readTimes(files, reasons),
        ...readAddresses(host, reasons),
        uuid,
      };
      const camera_usage = readCameraUsage(files, reasons);
      const pending_reboot = readPendingReboot(host, reasons);
      const [users, versions, microphone_usage, power_usage] = await waiting;
      const use = { camera_usage, microphone_usage, pending_reboot, power_usage };
      return { ...machine, users, ...versions, ...use, run_mode: 'standalone', device_info };
    },
  };
};

function readTimes(files: Host['files'], reasons: Reasons): Pick<System, 'boot_time' | 'uptime'> {
  const boot = /^btime (\d+)/m.exec(files.text('/proc/stat') ?? '')?.[1];
  const up = /^\d+(?:\.\d+)?/.exec(files.text('/proc/uptime') ?? '')?.[0];
  const hint = 'mount /proc, or point HOSTLER_PROC to where it is mounted';
  if (boot === undefined) reasons.missing('boot_time', `/proc/stat cannot be read; ${hint}`);
  if (up === undefined) reasons.missing('uptime', `/proc/uptime cannot be read; ${hint}`);
  return { boot_time: boot === undefined ? null : Number(boot), uptime: up === undefined ? null : Number(up) };
}

function readUuid(host: Host, reasons: Reasons): string {
  const { uuid, stable } = machineUuid(host);
  if (!stable) {
    reasons.missing(
      'uuid',
      `There is no /etc/machine-id, and ${host.paths.state} cannot be written: this identifier changes with every start`,
    );
  }
  return uuid;
}

/** Reads once what cannot change while we run, and gives its reasons again each time. */
function remembered<T>(read: (reasons: Reasons) => T): (reasons: Reasons) => T {
  let first: { value: T; reasons: Reason[] } | null = null;
  return (reasons) => {
    if (first === null) {
      const collected: Reason[] = [];
      const note = (mendable: boolean) => (field: string | null, reason: string) =>
        void collected.push({ field, reason, mendable });
      first = { value: read({ missing: note(true), inherent: note(false) }), reasons: collected };
    }
    for (const { field, reason, mendable } of first.reasons) reasons[mendable ? 'missing' : 'inherent'](field, reason);
    return first.value;
  };
}
