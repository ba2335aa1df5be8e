import { effect, signal } from '@preact/signals';
import { session } from './session.ts';

/** Unsaved settings, by section. They stay while the tab is open, also while another view is shown, and end with the session. */
export const settingsDraft = signal<Readonly<Record<string, unknown>>>({});

export const hasDraft = () => Object.keys(settingsDraft.value).length > 0;

/** A section that is back at its saved value is no longer a change. */
export function changeDraft(saved: Readonly<Record<string, unknown>>, section: string, value: unknown): void {
  const { [section]: _before, ...others } = settingsDraft.value;
  const isSaved = JSON.stringify(value) === JSON.stringify(saved[section]);
  settingsDraft.value = isSaved ? others : { ...others, [section]: value };
}

effect(() => {
  if (session.value === null) settingsDraft.value = {};
});

/** The browser asks before the tab is closed or reloaded. */
effect(() => {
  if (!hasDraft()) return;
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
});
