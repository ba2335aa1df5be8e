import { storedChoice } from '../state/stored-choice.ts';
import { Icon } from './icon.tsx';

/** Names of the histories whose charts come first in the overview and are on the wall. */
export const pinned = storedChoice('pinned-charts', []);

export function PinButton({ chart, title }: { chart: string; title: string }) {
  const isPinned = pinned.chosen.value.includes(chart);
  const others = pinned.chosen.value.filter((each) => each !== chart);
  return (
    <button
      type="button"
      class="bare pin"
      aria-pressed={isPinned}
      aria-label={`Pin ${title}`}
      title={isPinned ? 'Unpin from the top of the overview' : 'Pin to the top of the overview'}
      onClick={() => pinned.set(isPinned ? others : [...others, chart])}
    >
      <Icon name="pin" />
    </button>
  );
}
