import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Offset of the machine's clock to the browser's, milliseconds. */
const ahead = signal(0);

/** Updates the offset from the time in a response and its latency. */
export function setClock(machineMs: number, askedMs: number): void {
  const offset = machineMs - (askedMs + Date.now()) / 2;
  // A smaller difference is latency or a coarse timer.
  ahead.value = Math.abs(offset) < 250 ? 0 : offset;
}

/** Less than a minute moves nothing on a chart. */
const sameClockMs = 60_000;
/** Offset of the machine's clock to the one of the charts, milliseconds: exact to a second, and stable. */
export const chartAhead = signal(0);

/** Updates the offset of the charts from the time in a response. */
export function setChartClock(machineMs: number): void {
  if (Number.isNaN(machineMs)) return;
  const offset = machineMs - Date.now();
  const next = Math.abs(offset) < sameClockMs ? 0 : offset;
  if (Math.abs(next - chartAhead.peek()) > 5000) chartAhead.value = next;
}

/** Charts use the clock of the browser, addresses and the API the clock of the machine. Unix seconds. */
export const toMachineTime = (unixSeconds: number) => unixSeconds + chartAhead.value / 1000;
export const toChartTime = (unixSeconds: number) => unixSeconds - chartAhead.value / 1000;

/** Unix seconds by the clock of the machine, updated while the component is mounted. */
export function useMachineTime(everyMs: number | null): number {
  const now = useTime(everyMs);
  return (now + ahead.value) / 1000;
}

/** Unix milliseconds by the clock of the browser; null: only when something else changes. */
export function useTime(everyMs: number | null): number {
  const ticked = useSignal(0);
  useEffect(() => (everyMs === null ? undefined : whileVisible(everyMs, () => void ticked.value++)), [everyMs]);
  ticked.value;
  return Date.now();
}

/** Runs the work at an interval while the page is visible. Returns a function that stops it. */
export function whileVisible(everyMs: number, work: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) work();
  }, everyMs);
  return () => clearInterval(timer);
}
