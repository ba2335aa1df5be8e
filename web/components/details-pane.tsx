import type { ComponentChildren } from 'preact';
import { setParameters } from '../shell/route.tsx';
import { useLoaded } from '../state/loaded.ts';
import { Icon } from './icon.tsx';
import { useEscape } from './use-escape.ts';

interface DetailsPaneProps {
  /** Kind of the entry, such as Service. */
  kind: string;
  title: string;
  /** Query parameter that selects the entry. */
  parameter: string;
  children: ComponentChildren;
}

/** One entry of a list, beside it. */
export function DetailsPane({ kind, title, parameter, children }: DetailsPaneProps) {
  const close = () => setParameters({ [parameter]: null });
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

interface ReadLog {
  lines: string[];
  /** What is missing, and why. */
  reason?: string | null;
}

interface LogOnDemandProps {
  what: 'output' | 'log';
  label: string;
  /** Where it has no lines. */
  none: string;
  /** Why it cannot be read; null: it can. */
  refusal?: string | null;
  read(): Promise<ReadLog>;
}

/** Read on demand: it may contain secrets, and needs its own permission. */
export function LogOnDemand({ what, label, none, refusal = null, read }: LogOnDemandProps) {
  const { data, problem, refresh } = useLoaded(read, { onDemand: true });
  const { lines = null, reason = null } = data ?? {};
  return (
    <>
      <p class="buttons">
        <button type="button" class="plain" disabled={refusal !== null} title={refusal ?? undefined} onClick={refresh}>
          {lines === null ? `Show ${what}` : `Refresh ${what}`}
        </button>
      </p>
      {problem === '' ? null : <p class="problem">{problem}</p>}
      {reason === null ? null : <p class="small">{reason}</p>}
      {lines === null ? null : lines.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <OutputText label={label} text={lines.join('\n')} />
      )}
    </>
  );
}
