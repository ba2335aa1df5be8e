import { effect, signal } from '@preact/signals';
import { set } from './set.ts';

/** What the user chose; "auto" follows the system. */
export const themes = ['auto', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof themes)[number];

const key = 'hostler-look';
const dark = matchMedia('(prefers-color-scheme: dark)');
const contrast = matchMedia('(prefers-contrast: more)');

export const theme = signal<Theme>(storedTheme());
/** Counts up whenever colours change: what is drawn on a canvas has to be drawn again. */
export const lookVersion = signal(0);
const system = signal({ dark: dark.matches, contrast: contrast.matches });

/** Cached: reading a style between two drawings would force another layout. */
const colors = new Map<string, string>();

for (const query of [dark, contrast])
  query.addEventListener('change', () => set(system, { dark: dark.matches, contrast: contrast.matches }));

effect(() => {
  const { dataset } = document.documentElement;
  const chosen = theme.value;
  const isDark = chosen === 'dark' || (chosen !== 'light' && system.value.dark);
  dataset.scheme = isDark ? 'dark' : 'light';
  dataset.contrast = chosen === 'contrast' || system.value.contrast ? 'more' : 'usual';
  colors.clear();
  lookVersion.value = lookVersion.peek() + 1;
});

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    if (chosen === 'auto') localStorage.removeItem(key);
    else localStorage.setItem(key, chosen);
  } catch {
    // A browser that stores nothing shows it until the page is left.
  }
}

/** A colour by the name it has in the style sheet. */
export function colorOf(name: string): string {
  const known = colors.get(name);
  if (known !== undefined) return known;
  const color = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  colors.set(name, color);
  return color;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return themes.find((each) => each === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}
