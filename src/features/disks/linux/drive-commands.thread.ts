import fs from 'node:fs';
import { address, addressOf, pinned } from '../../../host/ffi.ts';
import { libc, openErrno } from '../../../host/linux/libc.ts';
import { codeOf } from '../../../lib/errors.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import { threadAnswers } from '../../../lib/thread-calls.ts';
import {
  type AtaCommand,
  checkPowerMode,
  isAsleep,
  parseRegisters,
  sectorBytes,
  smartReadData,
  smartReadThresholds,
  smartReturnStatus,
} from '../smart/smart.ata.ts';
import { healthLogBytes } from '../smart/smart.nvme.ts';

/** A query of a drive in its command set. */
export interface DriveRequest {
  kind: 'ata' | 'nvme';
  /** `/dev/sda` */
  file: string;
  /** As the kernel writes them, `8:0`: another device at this path is not queried. */
  numbers: string;
}

export type DriveReply =
  | { kind: 'nvme'; log: Uint8Array }
  | { kind: 'ata'; data: Uint8Array | null; thresholds: Uint8Array | null; sense: Uint8Array | null }
  | { kind: 'asleep' }
  | { kind: 'denied' }
  | { kind: 'failed'; problem: string };

const SG_IO = 0x2285n;
const NVME_IOCTL_ADMIN_CMD = 0xc048_4e41n;
const SG_DXFER_NONE = -1;
const SG_DXFER_FROM_DEV = -3;
/** The kernel aborts a command after this time. */
const commandMs = 10_000;
const senseBytes = 32;
const EPERM = 1;
const EACCES = 13;

/** Answers one query after another with one message each. It blocks in the kernel until the drive answers. */
export const askDrivesInThread: ThreadJob = async (post) => {
  const ioctl = openIoctl();
  return { receive: threadAnswers(post, (request) => ask(ioctl, request as DriveRequest)) };
};

/** 0, or the error number. */
type Ioctl = (descriptor: number, request: bigint, argument: Uint8Array) => number;

function openIoctl(): Ioctl {
  const { ioctl } = libc;
  const errno = openErrno();
  return (descriptor, request, argument) => {
    if (ioctl(descriptor, request, BigInt(address(argument))) >= 0) return 0;
    return errno() || -1;
  };
}

function ask(ioctl: Ioctl, { kind, file, numbers }: DriveRequest): DriveReply {
  let descriptor: number;
  try {
    // O_NONBLOCK: does not wait, and does not check for a medium.
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    return code === 'EACCES' || code === 'EPERM' ? { kind: 'denied' } : { kind: 'failed', problem: code };
  }
  try {
    const found = fs.fstatSync(descriptor);
    if (!found.isBlockDevice() || numbersOf(found.rdev) !== numbers)
      return { kind: 'failed', problem: `${file} is another device` };
    return kind === 'nvme' ? askNvme(ioctl, descriptor) : askAta(ioctl, descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Major and minor number, as glibc decodes them. */
const numbersOf = (rdev: number) => `${(rdev >>> 8) & 0xfff}:${(rdev & 0xff) | ((rdev >>> 12) & 0xfff00)}`;

function askNvme(ioctl: Ioctl, descriptor: number): DriveReply {
  const log = pinned(healthLogBytes);
  const command = healthLogCommand(BigInt(addressOf(log)), commandMs);
  const error = ioctl(descriptor, NVME_IOCTL_ADMIN_CMD, command);
  return error === 0 ? { kind: 'nvme', log } : refused(error);
}

function askAta(ioctl: Ioctl, descriptor: number): DriveReply {
  const power = scsi(ioctl, descriptor, checkPowerMode);
  if ('error' in power) return refused(power.error);
  // A drive that does not report its power mode may be asleep.
  const asleep = isAsleep(parseRegisters(power.sense));
  if (asleep !== false) return asleep === null ? { kind: 'failed', problem: 'no power mode' } : { kind: 'asleep' };
  const read = (command: AtaCommand) => {
    const answer = scsi(ioctl, descriptor, command);
    return 'error' in answer || !answer.good ? null : answer.data;
  };
  const status = scsi(ioctl, descriptor, smartReturnStatus);
  return {
    kind: 'ata',
    data: read(smartReadData),
    thresholds: read(smartReadThresholds),
    sense: 'error' in status ? null : status.sense,
  };
}

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

/** struct sg_io_hdr, 64 bits. https://www.tldp.org/HOWTO/SCSI-Generic-HOWTO/sg_io_hdr_t.html */
function scsi(
  ioctl: Ioctl,
  descriptor: number,
  { cdb, bytes }: AtaCommand,
): { good: boolean; data: Uint8Array; sense: Uint8Array } | { error: number } {
  const header = pinned(88);
  const view = new DataView(header.buffer);
  const command = pinned(cdb.length);
  command.set(cdb);
  const data = pinned(Math.max(bytes, sectorBytes));
  const sense = pinned(senseBytes);
  view.setInt32(0, 'S'.charCodeAt(0), true);
  view.setInt32(4, bytes === 0 ? SG_DXFER_NONE : SG_DXFER_FROM_DEV, true);
  header[8] = command.length;
  header[9] = senseBytes;
  view.setUint32(12, bytes, true);
  view.setBigUint64(16, BigInt(addressOf(data)), true);
  view.setBigUint64(24, BigInt(addressOf(command)), true);
  view.setBigUint64(32, BigInt(addressOf(sense)), true);
  view.setUint32(40, commandMs, true);
  const error = ioctl(descriptor, SG_IO, header);
  if (error !== 0) return { error };
  const [status, hostStatus, left] = [header[64], view.getUint16(68, true), view.getInt32(72, true)];
  return {
    good: status === 0 && hostStatus === 0 && left === 0,
    data: data.slice(0, bytes),
    sense: sense.slice(0, header[67] ?? 0),
  };
}

const refused = (error: number): DriveReply =>
  error === EPERM || error === EACCES ? { kind: 'denied' } : { kind: 'failed', problem: `error ${error}` };
