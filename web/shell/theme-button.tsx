import { Icon, type IconName } from '../components/icon.tsx';
import { setTheme, type Theme, theme, themes } from '../state/theme.ts';

export const themeNames: Record<Theme, string> = {
  auto: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

const icons: Record<Theme, IconName> = { auto: 'automatic', light: 'light', dark: 'dark', contrast: 'contrast' };

export function LookButton() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto';
  const name = `Appearance: ${themeNames[theme.value].toLowerCase()}`;
  return (
    <button type="button" class="bare" title={name} aria-label={name} onClick={() => setTheme(next)}>
      <Icon name={icons[theme.value]} />
    </button>
  );
}
