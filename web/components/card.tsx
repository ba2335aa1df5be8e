import type { ComponentChildren } from 'preact';
import { Link } from '../shell/route.tsx';
import { Icon, type IconName } from './icon.tsx';
import { PinButton } from './pin-button.tsx';

interface CardProps {
  title: string;
  icon?: IconName;
  figure?: ComponentChildren;
  /** Name of the history of its chart, which can be pinned. */
  chart?: string;
  wide?: boolean;
  /** Where there is more. */
  onward?: readonly [to: string, text: string];
  class?: string;
  children: ComponentChildren;
}

export function Card({ title, icon, figure, chart, wide = false, onward, class: own = '', children }: CardProps) {
  return (
    <section class={['card', wide ? 'wide' : '', own].filter(Boolean).join(' ')} aria-label={title}>
      <header class="card-head">
        <h2>
          {icon === undefined ? null : <Icon name={icon} />}
          <span>{title}</span>
        </h2>
        {chart === undefined ? null : <PinButton chart={chart} title={title} />}
        {figure === undefined ? null : <p class="figure">{figure}</p>}
      </header>
      {children}
      {onward === undefined ? null : (
        <Link to={onward[0]} class="onward">
          {onward[1]}
        </Link>
      )}
    </section>
  );
}

/** One of two states, of which the first one is good. */
export const State = ({ good, words }: { good: boolean; words: readonly [good: string, other: string] }) => (
  <span class={good ? 'state good' : 'state'}>{words[good ? 0 : 1]}</span>
);

interface FindingsProps {
  title: string;
  icon: IconName;
  sentences: readonly string[];
  /** The answer where there are none. */
  none: string;
  children?: ComponentChildren;
}

/** The short answer to a question, before its details. */
export function Findings({ title, icon, sentences, none, children }: FindingsProps) {
  return (
    <Card title={title} icon={icon} wide>
      {sentences.length === 0 ? <p>{none}</p> : null}
      {sentences.map((sentence) => (
        <p key={sentence} class="answer bad">
          <Icon name="warning" /> <span>{sentence}</span>
        </p>
      ))}
      {children}
    </Card>
  );
}
