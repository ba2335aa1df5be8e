import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { set } from '../state/set.ts';
import { announce } from './announcements.tsx';

export const paletteOpen = signal(false);
const loaded = signal<ComponentType | null>(null);

export function openPalette(): void {
  paletteOpen.value = true;
}

/** The palette is loaded when it is opened for the first time. */
export function Palette() {
  const open = paletteOpen.value;
  useEffect(() => {
    if (!open || loaded.value !== null) return;
    import('./palette.tsx').then(
      ({ OpenPalette }) => set(loaded, OpenPalette),
      () => {
        paletteOpen.value = false;
        announce('The search could not be loaded. Is the service running?', 'problem');
      },
    );
  }, [open]);
  const Content = loaded.value;
  return open && Content !== null ? <Content /> : null;
}
