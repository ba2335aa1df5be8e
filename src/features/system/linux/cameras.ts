import type { Files } from '../../../host/linux/files.ts';

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
export function isCameraIdle(files: Files, device: string): boolean | null {
  const name = device.slice('/dev/'.length);
  const references = files.text(`/sys/class/video4linux/${name}/device/driver/module/refcnt`);
  return references === null ? null : references.trim() === '0';
}
