import { createDdc, type Ddc, DdcError, type I2cLine, type VcpValue } from '@hostler/ddc/ddc.ts';
import { vcp } from '@hostler/ddc/vcp.ts';

/** Answered in a thread, since a monitor is slow. */
export interface MonitorRequest {
  buses: readonly { file: string; number: number }[];
  isSure: boolean;
  edid: Uint8Array;
  /** A change to make before the values are read. */
  order: { feature: number; value: number } | null;
  /** Whether to read its capabilities as well. */
  describe: boolean;
}

export type MonitorReply =
  | { kind: 'read'; values: MonitorValues; description: string | null }
  | { kind: 'denied'; file: string }
  | { kind: 'absent'; file: string }
  /** A kernel driver uses it. */
  | { kind: 'taken'; file: string }
  | { kind: 'silent'; problem: string };

export const noReply: MonitorReply = { kind: 'silent', problem: 'it does not answer' };

/** null: not supported. */
export type MonitorValues = Record<keyof typeof vcp, VcpValue | null>;

interface I2cBus {
  /** Selects the device at this address. Throws the error of the kernel. */
  at(address: number): I2cLine;
  close(): void;
}

/** Throws the error of the system. */
export type OpenI2c = (bus: { file: string; number: number }) => I2cBus;

const [ddcAddress, edidAddress] = [0x37, 0x50];

export async function askMonitor(
  open: OpenI2c,
  pause: (ms: number) => Promise<void>,
  request: MonitorRequest,
): Promise<MonitorReply> {
  let last: MonitorReply = { kind: 'silent', problem: 'no bus has its EDID' };
  for (const place of request.buses) {
    let bus: I2cBus | null = null;
    try {
      bus = open(place);
      if (!request.isSure && !showsEdid(bus.at(edidAddress), request.edid)) continue;
      return await converse(createDdc(bus.at(ddcAddress), pause), request);
    } catch (error) {
      last = refusal(error, place.file);
    } finally {
      bus?.close();
    }
  }
  return last;
}

/** The EDID is on the same bus, at another address. */
function showsEdid(line: I2cLine, edid: Uint8Array): boolean {
  try {
    line.write(Uint8Array.of(0));
    return Buffer.compare(line.read(edid.length), edid) === 0;
  } catch {
    return false;
  }
}

async function converse(ddc: Ddc, { order, describe }: MonitorRequest): Promise<MonitorReply> {
  if (order !== null) await ddc.set(order.feature, order.value);
  // A monitor that was switched off may not answer.
  if (order?.feature === vcp.power)
    return { kind: 'read', values: { ...nothing, power: await orNull(ddc, vcp.power) }, description: null };
  // A monitor that does not answer this query answers none.
  const brightness = await ddc.get(vcp.brightness);
  const values = {
    brightness,
    contrast: await orNull(ddc, vcp.contrast),
    input: await orNull(ddc, vcp.input),
    power: await orNull(ddc, vcp.power),
  };
  const description = describe ? await ddc.capabilities().catch(ignored) : null;
  return { kind: 'read', values, description };
}

const nothing: MonitorValues = { brightness: null, contrast: null, input: null, power: null };

const orNull = (ddc: Ddc, feature: number) => ddc.get(feature).catch(ignored);

function ignored(error: unknown): null {
  if (error instanceof DdcError) return null;
  throw error;
}

function refusal(error: unknown, file: string): MonitorReply {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'denied', file };
  if (code === 'ENOENT' || code === 'ENXIO' || code === 'ENODEV') return { kind: 'absent', file };
  if (code === 'EBUSY') return { kind: 'taken', file };
  return { kind: 'silent', problem: error instanceof Error ? error.message : String(error) };
}
