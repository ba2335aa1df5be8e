import { longestCapabilities } from './capabilities.ts';

/** The I²C bus of one monitor. Both throw the error of the kernel. */
export interface I2cLine {
  write(bytes: Uint8Array): void;
  /** At most this many bytes. */
  read(length: number): Uint8Array;
}

/** A number of a monitor, such as its brightness. */
export interface VcpValue {
  value: number;
  /** 0 where it is a choice rather than an amount. */
  max: number;
}

export interface Ddc {
  /** null: it does not have this feature. Throws DdcError where there is no valid reply. */
  get(feature: number): Promise<VcpValue | null>;
  /** A monitor does not acknowledge. */
  set(feature: number, value: number): Promise<void>;
  /** The capabilities string; empty: none. */
  capabilities(): Promise<string>;
}

export class DdcError extends Error {
  override readonly name = 'DdcError';
}

const [toMonitor, fromMonitor, host, replyAddress] = [0x6e, 0x6e, 0x51, 0x50];
const { getVcp, getVcpReply, setVcp, capabilities, capabilitiesReply } = {
  getVcp: 0x01,
  getVcpReply: 0x02,
  setVcp: 0x03,
  capabilities: 0xf3,
  capabilitiesReply: 0xe3,
};
const tries = 3;
/** DDC/CI 1.1: the time a monitor may take before its reply is read or another request is sent, ms. */
const [replyMs, nextMs] = [45, 50];
/** Longer pause after a failure, ms. */
const recoverMs = 100;
/** Each piece has 32 bytes at most; the number of pieces is limited. */
const mostPieces = 2 * (longestCapabilities / 32);

/** 0x6E is the address byte that the bus adds, and 0x50 the address the reply is meant for. VESA DDC/CI 1.1 */
export function ddcRequest(payload: readonly number[]): Uint8Array {
  const bytes = [host, 0x80 | payload.length, ...payload];
  return Uint8Array.from([...bytes, checksum([toMonitor, ...bytes])]);
}

/** The payload of a reply; empty: a null message, which is valid. Throws on invalid data. */
export function parseDdcReply(bytes: Uint8Array): Uint8Array {
  const [source = 0, marked = 0] = bytes;
  const length = marked & 0x7f;
  if (bytes.length < 3 || source !== fromMonitor || (marked & 0x80) === 0) throw new DdcError('it sent no answer');
  if (bytes.length < length + 3) throw new DdcError('its reply is truncated');
  const body = bytes.subarray(0, length + 2);
  if (checksum([replyAddress, ...body]) !== bytes[length + 2]) throw new DdcError('its reply has a wrong checksum');
  return body.subarray(2);
}

const checksum = (bytes: readonly number[]) => bytes.reduce((sum, byte) => sum ^ byte, 0);

/** `pause` resolves after this many milliseconds. */
export function createDdc(line: I2cLine, pause: (ms: number) => Promise<void>): Ddc {
  /** null: only null messages. */
  const ask = async <T>(
    payload: readonly number[],
    most: number,
    understand: (reply: Uint8Array) => T,
  ): Promise<T | null> => {
    let problem: unknown = null;
    let hadNullMessage = false;
    for (let attempt = 0; attempt < tries; attempt++) {
      if (attempt > 0) await pause(recoverMs * attempt);
      try {
        line.write(ddcRequest(payload));
        await pause(replyMs);
        const reply = parseDdcReply(line.read(most + 3));
        await pause(nextMs);
        if (reply.length > 0) return understand(reply);
        hadNullMessage = true;
      } catch (error) {
        problem = error;
      }
    }
    if (hadNullMessage) return null;
    throw problem instanceof DdcError ? problem : new DdcError(`it does not answer (${String(problem)})`);
  };

  const piece = (offset: number) =>
    ask([capabilities, offset >> 8, offset & 0xff], 35, (reply) => {
      const [kind, high = 0, low = 0] = reply;
      if (kind !== capabilitiesReply || reply.length < 3 || ((high << 8) | low) !== offset)
        throw new DdcError('it answered another request');
      return reply.slice(3);
    });

  return {
    get: (feature) =>
      ask([getVcp, feature], 8, (reply) => {
        const [kind, result, of, , maxHigh = 0, maxLow = 0, high = 0, low = 0] = reply;
        if (kind !== getVcpReply || reply.length < 8 || of !== feature)
          throw new DdcError('it answered another request');
        return result === 0 ? { value: (high << 8) | low, max: (maxHigh << 8) | maxLow } : null;
      }),
    async set(feature, value) {
      for (let attempt = 1; ; attempt++) {
        try {
          line.write(ddcRequest([setVcp, feature, (value >> 8) & 0xff, value & 0xff]));
          return await pause(nextMs);
        } catch (error) {
          if (attempt === tries) throw new DdcError(`it does not accept requests (${String(error)})`);
          await pause(recoverMs * attempt);
        }
      }
    },
    async capabilities() {
      let text = '';
      for (let count = 0; count < mostPieces && text.length < longestCapabilities; count++) {
        const bytes = await piece(text.length);
        if (bytes === null || bytes.length === 0) break;
        text += Buffer.from(bytes).toString('latin1');
      }
      return text.slice(0, longestCapabilities).replace(/\0[\s\S]*$/, '');
    },
  };
}
