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

/** udev has asked each device what it can do; without udev every device counts. */
function captures(files: Files, name: string): boolean {
  const number = files.text(`/sys/class/video4linux/${name}/dev`)?.trim();
  const known = /^E:ID_V4L_CAPABILITIES=(.*)$/m.exec(files.text(`/run/udev/data/c${number}`) ?? '')?.[1];
  return known === undefined || known.includes(':capture:');
}

/** Nobody can have it open while nobody refers to its driver. null: the driver is built in, and nobody counts. */
export function isCameraIdle(files: Files, device: string): boolean | null {
  const name = device.slice('/dev/'.length);
  const references = files.text(`/sys/class/video4linux/${name}/device/driver/module/refcnt`);
  return references === null ? null : references.trim() === '0';
}
