import { isObject } from '../lib/values.ts';
import type { OtlpReport } from '../transports/otlp/push.ts';
import { shownUrl } from '../transports/otlp/send.ts';

/** The status of OTLP export. `report`: from the running service; undefined: none is running, null: it has not begun. */
export function otlpLine(endpoint: string, report: unknown, nowMs: number): { sign: string; text: string } {
  const address = shownUrl(endpoint);
  if (report === undefined) return { sign: '·', text: `${address}; numbers are sent while the service runs` };
  if (!isReport(report)) return { sign: '!', text: `${address}; the service has not begun to send` };
  const { last_sent, problem, waiting, lost } = report;
  const ago =
    last_sent === null
      ? 'nothing was sent yet'
      : `last sent ${Math.max(0, Math.round((nowMs - last_sent) / 1000))} s ago`;
  const rest = [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'batch waits' : 'batches wait'}`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
  ];
  const text = [address, ...(problem === null ? [] : [problem]), ago, ...rest].join('; ');
  return { sign: problem === null ? (last_sent === null ? '!' : '✓') : '✗', text };
}

const isReport = (value: unknown): value is OtlpReport => isObject(value) && typeof value.waiting === 'number';
