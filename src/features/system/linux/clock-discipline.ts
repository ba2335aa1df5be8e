import { address, pinned } from '../../../host/ffi.ts';
import { libc } from '../../../host/linux/libc.ts';

/** Synchronisation of the system clock. https://man7.org/linux/man-pages/man2/adjtimex.2.html */
export type ClockDiscipline = ReturnType<typeof parseTimex>;

export type ReadClockDiscipline = () => ClockDiscipline | null;

const TIME_ERROR = 5;
const STA_NANO = 0x2000;
/** Millionths with 16 fractional bits. */
const scaledPpm = 1e6 * 65536;
const structBytes = 208;

/** null: not reported by this system. */
export function openClockDiscipline(): ReadClockDiscipline | null {
  const adjtimex = findCall();
  if (adjtimex === null) return null;
  const memory = pinned(structBytes);
  const place = address(memory);
  return () => {
    // No modes: nothing is set, so no privilege is needed.
    memory.fill(0);
    const state = adjtimex(place);
    return state < 0 ? null : parseTimex(new DataView(memory.buffer), state);
  };
}

/** struct timex of a 64-bit system. Times are seconds. */
export function parseTimex(struct: DataView, state: number) {
  const word = (at: number) => Number(struct.getBigInt64(at, true));
  const status = struct.getInt32(40, true);
  const fractions = (status & STA_NANO) === 0 ? 1e6 : 1e9;
  return {
    isSynchronized: state !== TIME_ERROR,
    /** Bits. */
    status,
    offset: word(8) / fractions,
    /** Correction of the clock frequency: 1 is none. */
    frequencyRatio: 1 + word(16) / scaledPpm,
    maxError: word(24) / 1e6,
    estimatedError: word(32) / 1e6,
    /** Of the control loop; no unit. */
    timeConstant: word(48),
    tick: word(88) / 1e6,
    taiOffset: struct.getInt32(160, true),
    /** A pulse per second from an external source, if any. */
    pulse: {
      frequencyHertz: word(96) / scaledPpm,
      jitter: word(104) / fractions,
      shift: struct.getInt32(112, true),
      stabilityHertz: word(120) / scaledPpm,
      jitterExceeded: word(128),
      calibrations: word(136),
      errors: word(144),
      stabilityExceeded: word(152),
    },
  };
}

function findCall() {
  try {
    return libc.adjtimex;
  } catch {
    return null;
  }
}
