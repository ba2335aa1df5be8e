import { effect, signal } from '@preact/signals';
import type { ControlState } from '../../src/features/control/control.schema.ts';
import type { PowerPending } from '../../src/features/power/power.schema.ts';
import { refreshStatesSoon } from './availability.ts';
import { request } from './live.ts';
import { askJson, session } from './session.ts';

/** State that every view shows: a pending power action and a pause of control. null: unknown, or none. */
export const pendingOrder = signal<PowerPending['pending']>(null);
export const pausedControl = signal<ControlState | null>(null);

effect(() => {
  if (session.value !== null) return;
  pendingOrder.value = null;
  pausedControl.value = null;
});

export async function refreshStanding(): Promise<void> {
  const [power, control] = await Promise.all([
    askJson<PowerPending>('/api/power/pending'),
    askJson<ControlState>('/api/control'),
  ]);
  pendingOrder.value = power?.pending ?? null;
  pausedControl.value = control?.paused === true ? control : null;
}

/** Each refreshes the state afterwards, because another client may have changed it. */
export const cancelOrder = () => order('POWER_CANCEL');
export const pauseControl = (seconds: number | null) => order('CONTROL_PAUSE', seconds === null ? {} : { seconds });
export const resumeControl = () => order('CONTROL_RESUME');

async function order(event: string, data: Record<string, unknown> = {}): Promise<{ message: string }> {
  try {
    return await request(event, data);
  } finally {
    await refreshStanding();
    // What can be pressed has changed as well.
    refreshStatesSoon(0);
  }
}
