import { Icon } from '../components/icon.tsx';
import { Segments } from '../components/segments.tsx';
import { range, ranges, setRange } from '../state/range.ts';
import { endSession } from '../state/session.ts';
import type { View } from '../views/index.ts';
import { openPalette } from './palette-host.tsx';
import { LookButton } from './theme-button.tsx';

/** Above every view: its range, the search, and sign-out. */
export function TopBar({ view, host }: { view: View | undefined; host: string }) {
  return (
    <header class="top-bar">
      <p class="where">
        <span class="host">{host}</span>
        <span class="at">{view?.title ?? 'Not found'}</span>
      </p>
      {view?.ranged === true ? (
        <Segments
          legend="Range of the charts"
          of={ranges.map(({ id, title, words }) => [id, title, id === 'live' ? 'Live' : `Show ${words}`])}
          chosen={range.value.id}
          choose={setRange}
        />
      ) : null}
      <div class="tools">
        <button type="button" class="bare search" aria-keyshortcuts="Control+K" onClick={() => openPalette()}>
          <Icon name="search" />
          <span class="name">Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <LookButton />
        <button type="button" class="bare" title="Sign out" aria-label="Sign out" onClick={endSession}>
          <Icon name="signOut" />
        </button>
      </div>
    </header>
  );
}
