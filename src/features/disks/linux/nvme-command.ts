import { healthLogBytes } from '../smart/smart.nvme.ts';

/** struct nvme_admin_cmd: 72 bytes, of which only these are not 0. https://github.com/torvalds/linux/blob/master/include/uapi/linux/nvme_ioctl.h */
export function healthLogCommand(buffer: bigint, timeoutMs: number): Uint8Array<ArrayBuffer> {
  const command = new Uint8Array(new ArrayBuffer(72));
  const view = new DataView(command.buffer);
  const getLogPage = 0x02;
  const healthInformation = 0x02;
  const dwords = healthLogBytes / 4;
  command[0] = getLogPage;
  // The controller as a whole, not one of its namespaces.
  view.setUint32(4, 0xffff_ffff, true);
  view.setBigUint64(24, buffer, true);
  view.setUint32(36, healthLogBytes, true);
  view.setUint32(40, ((dwords - 1) << 16) | healthInformation, true);
  view.setUint32(64, timeoutMs, true);
  return command;
}
