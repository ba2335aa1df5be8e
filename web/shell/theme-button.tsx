import { Icon, type IconName } from '../components/icon.tsx';
import { type Look, look, looks, setLook } from '../state/theme.ts';

export const lookNames: Record<Look, string> = {
  auto: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

const icons: Record<Look, IconName> = { auto: 'automatic', light: 'light', dark: 'dark', contrast: 'contrast' };

/** Goes round: as the system, light, dark, high contrast. */
export function LookButton() {
  const next = looks[(looks.indexOf(look.value) + 1) % looks.length] ?? 'auto';
  const name = `Appearance: ${lookNames[look.value].toLowerCase()}`;
  return (
    <button type="button" class="bare" title={name} aria-label={name} onClick={() => setLook(next)}>
      <Icon name={icons[look.value]} />
    </button>
  );
}
