import type { Reasons } from '../../../core/reasons.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import type { Clock } from '../../../lib/clock.ts';
import { explainHealth, healthOf, type WhyNot } from '../disks.health.ts';
import type { DriveReading } from '../smart/drive-reading.ts';
import { parseAtaHealth } from '../smart/smart.ata.ts';
import { healthLogBytes, parseNvmeHealth } from '../smart/smart.nvme.ts';
import {
  STORAGE_PREDICT_FAILURE,
  STORAGE_PROPERTY_QUERY,
  STORAGE_PROTOCOL_DATA_DESCRIPTOR,
  STORAGE_PROTOCOL_SPECIFIC_DATA,
} from './drives.structs.ts';
import type { DriveControl } from './drives.ts';

/** https://learn.microsoft.com/windows/win32/api/winioctl/ */
const IOCTL_STORAGE_QUERY_PROPERTY = 0x2d1400;
const IOCTL_STORAGE_PREDICT_FAILURE = 0x2d1100;
/** The property of the drive; if its driver does not know it, that of the controller. */
const StorageDeviceProtocolSpecificProperty = 50;
const StorageAdapterProtocolSpecificProperty = 49;
const ProtocolTypeNvme = 3;
const NVMeDataTypeLogPage = 2;
const healthInformation = 2;
/** STATUS_ACCESS_DENIED and STATUS_PRIVILEGE_NOT_HELD. */
const forbidden = [0xc0000022, 0xc0000061];
/** The same interval as on Linux. */
const freshMs = 600_000;

interface WindowsDriveState {
  kind: 'read' | 'asleep' | 'denied' | 'mute';
  /** Of a drive that sleeps: its last one. */
  reading?: DriveReading | null;
}

/** Blocks until the drive answers, so it runs in the thread of the module. Not yet tested on Windows. */
export function createWindowsHealth(clock: Clock) {
  const known = new Map<string, { state: WindowsDriveState; at: number }>();

  const refresh = (name: string, drives: DriveControl): WindowsDriveState => {
    const last = known.get(name);
    if (last !== undefined && clock.monotonic() - last.at < freshMs) return last.state;
    const state = queryDrive(name, drives, last?.state.reading ?? null, Math.floor(clock.now() / 1000));
    known.set(name, { state, at: clock.monotonic() });
    return state;
  };

  return {
    /** By the names of the drives, such as PhysicalDrive0. `others`: devices that are not drives. */
    read(names: readonly string[], others: readonly string[], drives: DriveControl, reasons: Reasons) {
      for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
      const states = new Map(names.map((name) => [name, refresh(name, drives)]));
      const health = healthOf(names, states);
      const listed = [...states].map(([name, { kind }]) => ({ name, kind }));
      explainHealth({ drives: listed, others, health }, ({ kind }) => whyUnknown[kind], reasons);
      return health;
    },
  };
}

function queryDrive(
  name: string,
  drives: DriveControl,
  before: DriveReading | null,
  readAt: number,
): WindowsDriveState {
  const device = `\\\\.\\${name}`;
  if (drives.isAsleep(device) === true) return { kind: 'asleep', reading: before };
  const answers: (Uint8Array | number | null)[] = [];
  const ask = (code: number, input: number[], size: number) => {
    const answer = drives.ask(device, code, input, size);
    answers.push(answer);
    return answer instanceof Uint8Array ? answer : null;
  };
  for (const property of [StorageDeviceProtocolSpecificProperty, StorageAdapterProtocolSpecificProperty]) {
    const log = parseLogPage(ask(IOCTL_STORAGE_QUERY_PROPERTY, healthQuery(property), answerBytes));
    const reading = log === null ? null : parseNvmeHealth(log, readAt);
    if (reading !== null) return { kind: 'read', reading };
  }
  const predicted = ask(IOCTL_STORAGE_PREDICT_FAILURE, [], STORAGE_PREDICT_FAILURE.size);
  const reading = predicted === null ? null : parsePrediction(predicted, readAt);
  if (reading !== null) return { kind: 'read', reading };
  return { kind: answers.some((answer) => forbidden.includes(Number(answer))) ? 'denied' : 'mute' };
}

/** Offset of the parameters in a request, and of the data in an answer. */
const parametersAt = STORAGE_PROPERTY_QUERY.fields.AdditionalParameters[0];

/** Including the page. */
const answerBytes = STORAGE_PROTOCOL_DATA_DESCRIPTOR.size + healthLogBytes;

/** A STORAGE_PROPERTY_QUERY with a STORAGE_PROTOCOL_SPECIFIC_DATA in it. */
export function healthQuery(property: number): number[] {
  const bytes = new Uint8Array(parametersAt + STORAGE_PROTOCOL_SPECIFIC_DATA.size);
  const view = new DataView(bytes.buffer);
  const put = ([at]: readonly [number, string], value: number) => view.setUint32(at, value, true);
  put(STORAGE_PROPERTY_QUERY.fields.PropertyId, property);
  const { fields, size } = STORAGE_PROTOCOL_SPECIFIC_DATA;
  const inside = ([at, type]: readonly [number, string], value: number) => put([parametersAt + at, type], value);
  inside(fields.ProtocolType, ProtocolTypeNvme);
  inside(fields.DataType, NVMeDataTypeLogPage);
  inside(fields.ProtocolDataRequestValue, healthInformation);
  inside(fields.ProtocolDataOffset, size);
  inside(fields.ProtocolDataLength, healthLogBytes);
  return [...bytes];
}

/** The page in a STORAGE_PROTOCOL_DATA_DESCRIPTOR; null: no page. */
export function parseLogPage(bytes: Uint8Array | null): Uint8Array | null {
  if (bytes === null || bytes.length < STORAGE_PROTOCOL_DATA_DESCRIPTOR.size) return null;
  const at = STORAGE_PROTOCOL_DATA_DESCRIPTOR.fields.ProtocolSpecificData[0];
  const { ProtocolType, ProtocolDataOffset, ProtocolDataLength } = readStruct(
    STORAGE_PROTOCOL_SPECIFIC_DATA,
    bytes,
    at,
  );
  const isWhole =
    ProtocolType === ProtocolTypeNvme &&
    ProtocolDataOffset >= STORAGE_PROTOCOL_SPECIFIC_DATA.size &&
    ProtocolDataLength >= healthLogBytes;
  return isWhole ? bytes.subarray(at + ProtocolDataOffset, at + ProtocolDataOffset + healthLogBytes) : null;
}

/** A STORAGE_PREDICT_FAILURE: the verdict of the drive, followed by the attributes of an ATA drive without thresholds. */
export function parsePrediction(bytes: Uint8Array, readAt: number): DriveReading | null {
  if (bytes.length < STORAGE_PREDICT_FAILURE.size) return null;
  const { PredictFailure, VendorSpecific } = readStruct(STORAGE_PREDICT_FAILURE, bytes);
  return parseAtaHealth(VendorSpecific, null, PredictFailure === 0, readAt);
}

const whyUnknown: Record<WindowsDriveState['kind'], WhyNot> = {
  denied: {
    because: 'Windows lets only administrators read the health of this drive; run Hostler as an administrator',
    mendable: true,
  },
  asleep: { because: 'sleeps, and is not woken to read its health', mendable: false },
  mute: {
    because: 'does not report its health, or its RAID controller or USB enclosure does not pass it on',
    mendable: false,
  },
  read: { because: '', mendable: false },
};
