import {
  attributeName,
  type DriveAttribute,
  type DriveReading,
  failedAttributes,
  rawOf,
  sectorCount,
} from './drive-reading.ts';

/** ATA commands as SCSI carries them: ATA PASS-THROUGH (16). SAT-4, 12.2.3 */
export interface AtaCommand {
  cdb: Uint8Array;
  /** Size of the response; 0: registers only. */
  bytes: number;
}

const nonData = 3;
const dataIn = 4;
const SMART = 0xb0;
export const sectorBytes = 512;

/** Does not wake the drive. ATA8-ACS, 7.8 */
export const checkPowerMode: AtaCommand = passThrough(nonData, { command: 0xe5 });
export const smartReadData: AtaCommand = smart(dataIn, 0xd0);
export const smartReadThresholds: AtaCommand = smart(dataIn, 0xd1);
export const smartReturnStatus: AtaCommand = smart(nonData, 0xda);

function smart(protocol: number, feature: number): AtaCommand {
  return passThrough(protocol, { command: SMART, feature, middle: 0x4f, high: 0xc2 });
}

function passThrough(
  protocol: number,
  { command, feature = 0, middle = 0, high = 0 }: { command: number; feature?: number; middle?: number; high?: number },
): AtaCommand {
  const cdb = new Uint8Array(16);
  cdb[0] = 0x85;
  cdb[1] = protocol << 1;
  // Data in, with the length in sectors; without data the registers are returned.
  cdb[2] = protocol === dataIn ? 0x0e : 0x20;
  cdb[4] = feature;
  cdb[6] = protocol === dataIn ? 1 : 0;
  cdb[10] = middle;
  cdb[12] = high;
  cdb[14] = command;
  return { cdb, bytes: protocol === dataIn ? sectorBytes : 0 };
}

type AtaRegisters = NonNullable<ReturnType<typeof parseRegisters>>;

/** The registers of the drive after a command, from sense data in either format; null: they contain none. SAT-4, 12.2.2.6 */
export function parseRegisters(sense: Uint8Array) {
  const at = (index: number) => sense[index] ?? 0;
  const code = at(0) & 0x7f;
  if (code === 0x72 && at(8) === 0x09 && sense.length >= 22)
    return { error: at(11), count: at(13), middle: at(17), high: at(19), status: at(21) };
  // Fixed format: its information field has error, status, device and count.
  if (code === 0x70 && sense.length >= 14 && at(12) === 0x00 && at(13) === 0x1d)
    return { error: at(3), status: at(4), count: at(6), middle: at(10), high: at(11) };
  return null;
}

/** Whether further commands would spin up the drive; null: unknown. */
export function isAsleep(registers: AtaRegisters | null): boolean | null {
  if (registers === null || isRefused(registers)) return null;
  // Standby, also with an active cache.
  return [0x00, 0x01, 0x40].includes(registers.count);
}

/** null: unknown. */
export function parseVerdict(registers: AtaRegisters | null): boolean | null {
  if (registers === null || isRefused(registers)) return null;
  if (registers.middle === 0x4f && registers.high === 0xc2) return true;
  return registers.middle === 0xf4 && registers.high === 0x2c ? false : null;
}

const isRefused = ({ status }: AtaRegisters) => (status & 1) !== 0;

/** From the pages with values and thresholds, if the drive sent them. */
export function parseAtaHealth(
  data: Uint8Array | null,
  thresholds: Uint8Array | null,
  passed: boolean | null,
  readAt: number,
): DriveReading | null {
  const attributes = data === null ? [] : parseAttributes(data, thresholds);
  if (passed === null && attributes.length === 0) return null;
  const raw = (id: number) => rawOf(attributes, id);
  return {
    passed,
    percentage_used: null,
    // Three bytes; in some drives minutes or milliseconds follow.
    power_on_hours: masked(raw(9), 24),
    temperature: toCelsius(raw(194)) ?? toCelsius(raw(190)),
    // Two bytes; in some drives other counts follow.
    reallocated: masked(raw(5), 16),
    pending: sectorCount(raw(197)),
    media_errors: sectorCount(raw(198)),
    critical_warnings: failedAttributes(attributes),
    read_at: readAt,
    attributes,
  };
}

const masked = (raw: number | null, bits: number) => (raw === null ? null : raw % 2 ** bits);

/** The lowest byte, signed; the minimum and the maximum follow. */
function toCelsius(raw: number | null): number | null {
  if (raw === null) return null;
  const byte = raw % 256;
  const celsius = byte > 127 ? byte - 256 : byte;
  return celsius === 0 || celsius < -40 ? null : celsius;
}

/** 30 entries of 12 bytes each after a version. SFF-8035i, and the practice since then. */
function parseAttributes(data: Uint8Array, thresholds: Uint8Array | null): DriveAttribute[] {
  if (!isSound(data)) return [];
  const limits = thresholds !== null && isSound(thresholds) ? thresholds : null;
  return places.flatMap((place) => {
    const id = data[place] ?? 0;
    if (id === 0) return [];
    const limit = limits === null ? undefined : places.find((other) => limits[other] === id);
    return [
      {
        id,
        name: attributeName(id),
        value: data[place + 3] ?? null,
        worst: data[place + 4] ?? null,
        threshold: limit === undefined ? null : (limits?.[limit + 1] ?? null),
        raw: Buffer.from(data.buffer, data.byteOffset, data.byteLength).readUIntLE(place + 5, 6),
        prefail: ((data[place + 1] ?? 0) & 1) !== 0,
      },
    ];
  });
}

const places = Array.from({ length: 30 }, (_, index) => 2 + 12 * index);

/** The sum of all bytes is 0. */
const isSound = (page: Uint8Array) =>
  page.length === sectorBytes &&
  page.some((byte) => byte !== 0) &&
  page.reduce((sum, byte) => (sum + byte) % 256, 0) === 0;
