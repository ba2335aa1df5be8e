import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import { useEscape } from './use-escape.ts';

interface DetailsPaneProps {
  /** Kind of the entry, such as Service. */
  kind: string;
  title: string;
  close(): void;
  children: ComponentChildren;
}

/** One entry of a list, beside it. */
export function DetailsPane({ kind, title, close, children }: DetailsPaneProps) {
  useEscape(close);
  return (
    <section class="card details-pane" aria-label={kind}>
      <header class="card-head">
        <h2>{title}</h2>
        <button type="button" class="bare" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </section>
  );
}

/** Output of a program; it scrolls. */
export function OutputText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre class="output" tabIndex={0} aria-label={label} role="log" aria-live="off">
      {text}
    </pre>
  );
}
