import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** How much the clock of the machine is ahead of that of the browser, milliseconds. */
const ahead = signal(0);

/** The machine said what time it was, some time after it was asked. */
export function setClock(machineMs: number, askedMs: number): void {
  const offset = machineMs - (askedMs + Date.now()) / 2;
  // Below that it is the way there and back, or a timer made coarse.
  ahead.value = Math.abs(offset) < 250 ? 0 : offset;
}

/** Unix seconds by the clock of the machine, again and again while the component is on the page. */
export function useMachineTime(everyMs: number | null): number {
  const now = useTime(everyMs);
  return (now + ahead.value) / 1000;
}

/** Unix milliseconds by the clock of the browser; null: only when something else changes. */
export function useTime(everyMs: number | null): number {
  const ticked = useSignal(0);
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => {
      if (!document.hidden) ticked.value++;
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  ticked.value;
  return Date.now();
}
