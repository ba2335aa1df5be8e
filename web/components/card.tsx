import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { PinButton } from './pin-button.tsx';

interface CardProps {
  title: string;
  icon?: IconName;
  /** The main figure. */
  figure?: ComponentChildren;
  /** Name of the history of its chart, which can be pinned. */
  chart?: string;
  wide?: boolean;
  class?: string;
  children: ComponentChildren;
}

export function Card({ title, icon, figure, chart, wide = false, class: own = '', children }: CardProps) {
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
    </section>
  );
}
