import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useModule } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { set } from '../state/set.ts';
import { fixedEntries, processEntries } from './palette-entries.ts';
import { paletteOpen } from './palette-host.tsx';
import { type PaletteEntry, ranked } from './palette-ranking.ts';

/** Finds views, actions, processes and settings by a few letters. */
export function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const wanted = useSignal('');
  const chosen = useSignal(0);
  const processes = useModule('processes');
  useEffect(() => dialog.current?.showModal(), []);
  // Loaded later: the schema of the settings is large, and the search works without it.
  const { data: settings } = useLoaded(async () => (await import('./palette-settings.ts')).settingEntries());
  const entries = useMemo(
    () => [...fixedEntries(), ...(settings ?? []), ...processEntries(processes ?? [])],
    [processes, settings],
  );
  const found = useMemo(() => ranked(entries, wanted.value), [entries, wanted.value]);
  const current = Math.min(chosen.value, found.length - 1);
  const close = () => set(paletteOpen, false);
  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      chosen.value = (current + step + found.length) % found.length;
      list.current?.children[chosen.value]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[current]);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog is closed with Escape as well
    <dialog ref={dialog} class="palette" aria-label="Search" onClose={close} onClick={outside(close)}>
      <div class="palette-input">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-found"
          aria-activedescendant={found.length > 0 ? `palette-${current}` : undefined}
          aria-label="Search views, actions, processes and settings"
          placeholder="Search views, actions, processes and settings"
          autocomplete="off"
          spellcheck={false}
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={move}
        />
      </div>
      <div id="palette-found" class="palette-list" role="listbox" aria-label="Found" ref={list}>
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => run(entry)}
            onMouseMove={() => set(chosen, index)}
          >
            <Icon name={entry.icon} />
            <span class="name">{entry.title}</span>
            <span class="kind">{entry.detail ?? entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="quiet nothing">Nothing is called “{wanted.value}”.</p> : null}
    </dialog>
  );
}

/** A click on the backdrop has the dialog itself as its target. */
const outside = (close: () => void) => (event: MouseEvent) => {
  if (event.target === event.currentTarget) close();
};
