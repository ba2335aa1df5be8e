import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface CardProps {
  title: string;
  icon?: IconName;
  /** The main figure. */
  figure?: ComponentChildren;
  wide?: boolean;
  class?: string;
  children: ComponentChildren;
}

export function Card({ title, icon, figure, wide = false, class: own = '', children }: CardProps) {
  return (
    <section class={['card', wide ? 'wide' : '', own].filter(Boolean).join(' ')} aria-label={title}>
      <header class="card-head">
        <h2>
          {icon === undefined ? null : <Icon name={icon} />}
          <span>{title}</span>
        </h2>
        {figure === undefined ? null : <p class="figure">{figure}</p>}
      </header>
      {children}
    </section>
  );
}
