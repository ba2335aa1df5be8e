import { effect, signal } from '@preact/signals';

/** What the user chose; "auto" follows the system. */
export const looks = ['auto', 'light', 'dark', 'contrast'] as const;
export type Look = (typeof looks)[number];

const key = 'hostler-look';
const dark = matchMedia('(prefers-color-scheme: dark)');
const contrast = matchMedia('(prefers-contrast: more)');

export const look = signal<Look>(keptLook());
/** Counts up whenever colours change: what is drawn on a canvas has to be drawn again. */
export const lookVersion = signal(0);
const system = signal({ dark: dark.matches, contrast: contrast.matches });

/** Asked for in between, a style would make the browser compute the page once more. */
const colors = new Map<string, string>();

for (const query of [dark, contrast])
  query.addEventListener('change', () => {
    system.value = { dark: dark.matches, contrast: contrast.matches };
  });

effect(() => {
  const { dataset } = document.documentElement;
  const chosen = look.value;
  const isDark = chosen === 'dark' || (chosen !== 'light' && system.value.dark);
  dataset.scheme = isDark ? 'dark' : 'light';
  dataset.contrast = chosen === 'contrast' || system.value.contrast ? 'more' : 'usual';
  colors.clear();
  lookVersion.value = lookVersion.peek() + 1;
});

export function setLook(chosen: Look): void {
  look.value = chosen;
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

function keptLook(): Look {
  try {
    const kept = localStorage.getItem(key);
    return looks.find((each) => each === kept) ?? 'auto';
  } catch {
    return 'auto';
  }
}
