import type { DriveReading } from './drive-reading.ts';

/** Bits of the first byte, as the specification orders them. NVMe Base Specification 2.0, 5.16.1.3 */
const warnings = ['spare', 'temperature', 'reliability', 'read_only', 'volatile_memory', 'persistent_memory'] as const;

export const healthLogBytes = 512;
const kelvinAtZeroCelsius = 273;

/** The page "SMART / Health Information". null: not such a page. */
export function parseNvmeHealth(log: Uint8Array, readAt: number): DriveReading | null {
  // An empty page.
  if (log.length < healthLogBytes || log.every((byte) => byte === 0)) return null;
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const names = warnings.filter((_, bit) => ((log[0] ?? 0) >> bit) & 1);
  const kelvin = view.getUint16(1, true);
  return {
    // As smartctl defines "passed".
    passed: (log[0] ?? 0) === 0,
    percentage_used: log[5] ?? null,
    power_on_hours: number128(view, 128),
    temperature: kelvin === 0 ? null : kelvin - kelvinAtZeroCelsius,
    reallocated: null,
    pending: null,
    media_errors: number128(view, 160),
    critical_warnings: names,
    read_at: readAt,
    attributes: [],
  };
}

/** Counts of 128 bits; null beyond the exact integers, which no drive reaches. */
function number128(view: DataView, at: number): number | null {
  const low = view.getBigUint64(at, true);
  return view.getBigUint64(at + 8, true) === 0n && low <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(low) : null;
}
