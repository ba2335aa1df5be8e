import type { Reasons } from '../../../core/reasons.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import type { Clock } from '../../../lib/clock.ts';
import { several, toHealth, unsaid } from '../disks.health.ts';
import type { Health } from '../disks.schema.ts';
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
const { IOCTL_STORAGE_QUERY_PROPERTY, IOCTL_STORAGE_PREDICT_FAILURE } = {
  IOCTL_STORAGE_QUERY_PROPERTY: 0x2d1400,
  IOCTL_STORAGE_PREDICT_FAILURE: 0x2d1100,
};
/** Of the drive itself; where its driver does not know that, of the controller it is. */
const { StorageDeviceProtocolSpecificProperty, StorageAdapterProtocolSpecificProperty } = {
  StorageDeviceProtocolSpecificProperty: 50,
  StorageAdapterProtocolSpecificProperty: 49,
};
const { ProtocolTypeNvme, NVMeDataTypeLogPage, healthInformation } = {
  ProtocolTypeNvme: 3,
  NVMeDataTypeLogPage: 2,
  healthInformation: 2,
};
/** STATUS_ACCESS_DENIED and STATUS_PRIVILEGE_NOT_HELD. */
const forbidden = [0xc0000022, 0xc0000061];
/** Drives change slowly; as often as on Linux. */
const freshMs = 600_000;

type WindowsDriveState =
  | { kind: 'read'; reading: DriveReading }
  /** With what it said before. */
  | { kind: 'asleep'; reading: DriveReading | null }
  | { kind: 'denied' }
  | { kind: 'mute' };

/** Blocks as long as a drive does, so it is for the thread of the module. Never executed on Windows. */
export function createWindowsHealth(clock: Clock) {
  const known = new Map<string, { state: WindowsDriveState; at: number }>();

  const refresh = (name: string, drives: DriveControl): WindowsDriveState => {
    const last = known.get(name);
    if (last !== undefined && clock.monotonic() - last.at < freshMs) return last.state;
    const before = last !== undefined && 'reading' in last.state ? last.state.reading : null;
    const state = askDrive(name, drives, before, Math.floor(clock.now() / 1000));
    known.set(name, { state, at: clock.monotonic() });
    return state;
  };

  return {
    /** By the names of the drives, such as PhysicalDrive0. `others`: what is no drive. */
    read(names: readonly string[], others: readonly string[], drives: DriveControl, reasons: Reasons) {
      for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
      const states = new Map(names.map((name) => [name, refresh(name, drives)]));
      const health = new Map(
        [...states].flatMap(([name, state]) =>
          'reading' in state && state.reading !== null ? [[name, toHealth(state.reading)] as const] : [],
        ),
      );
      explainHealth(states, health, others, reasons);
      return health as ReadonlyMap<string, Health>;
    },
  };
}

function askDrive(name: string, drives: DriveControl, before: DriveReading | null, readAt: number): WindowsDriveState {
  const device = `\\\\.\\${name}`;
  if (drives.isAsleep(device) === true) return { kind: 'asleep', reading: before };
  const answers: (Uint8Array | number | null)[] = [];
  const ask = (code: number, input: number[], size: number) => {
    const answer = drives.ask(device, code, input, size);
    answers.push(answer);
    return answer instanceof Uint8Array ? answer : null;
  };
  for (const property of [StorageDeviceProtocolSpecificProperty, StorageAdapterProtocolSpecificProperty]) {
    const log = parseLogPage(ask(IOCTL_STORAGE_QUERY_PROPERTY, healthQuestion(property), answerBytes));
    const reading = log === null ? null : parseNvmeHealth(log, readAt);
    if (reading !== null) return { kind: 'read', reading };
  }
  const predicted = ask(IOCTL_STORAGE_PREDICT_FAILURE, [], STORAGE_PREDICT_FAILURE.size);
  const reading = predicted === null ? null : parsePrediction(predicted, readAt);
  if (reading !== null) return { kind: 'read', reading };
  return { kind: answers.some((answer) => forbidden.includes(Number(answer))) ? 'denied' : 'mute' };
}

/** Where, counted from its beginning, a question says what it asks, and an answer has its data. */
const parametersAt = STORAGE_PROPERTY_QUERY.fields.AdditionalParameters[0];

/** With the page behind it. */
const answerBytes = STORAGE_PROTOCOL_DATA_DESCRIPTOR.size + healthLogBytes;

/** A STORAGE_PROPERTY_QUERY with a STORAGE_PROTOCOL_SPECIFIC_DATA in it. */
export function healthQuestion(property: number): number[] {
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

/** The page in a STORAGE_PROTOCOL_DATA_DESCRIPTOR; null: there is none in it. */
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

/** A STORAGE_PREDICT_FAILURE: the verdict of the drive, and behind it what an ATA drive counts, without its thresholds. */
export function parsePrediction(bytes: Uint8Array, readAt: number): DriveReading | null {
  if (bytes.length < STORAGE_PREDICT_FAILURE.size) return null;
  const { PredictFailure, VendorSpecific } = readStruct(STORAGE_PREDICT_FAILURE, bytes);
  return parseAtaHealth(VendorSpecific, null, PredictFailure === 0, readAt);
}

const whyUnknown: Record<WindowsDriveState['kind'], { because: string; mendable: boolean }> = {
  denied: {
    because: 'Windows lets only administrators ask this drive for its health; run Hostler as one to see it',
    mendable: true,
  },
  asleep: { because: 'sleeps, and is not woken to be asked for its health', mendable: false },
  mute: {
    because: 'does not report its health, or what it is attached by, such as a RAID or a USB case, does not pass it on',
    mendable: false,
  },
  read: { because: '', mendable: false },
};

function explainHealth(
  states: ReadonlyMap<string, WindowsDriveState>,
  health: ReadonlyMap<string, Health>,
  others: readonly string[],
  reasons: Reasons,
): void {
  const field = 'devices[].health';
  if (others.length > 0) reasons.inherent(field, `${several(others)}: only physical drives report their health`);
  const silent = Map.groupBy(
    [...states].filter(([name]) => !health.has(name)),
    ([, { kind }]) => kind,
  );
  for (const [kind, drives] of silent) {
    const { because, mendable } = whyUnknown[kind];
    const sentence = `${several(drives.map(([name]) => name))}: ${because}`;
    if (mendable) reasons.missing(field, sentence);
    else reasons.inherent(field, sentence);
  }
  for (const { field: part, sentence } of unsaid(health)) reasons.inherent(part, sentence);
}
