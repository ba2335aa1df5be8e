import type { ComponentChildren } from 'preact';

interface CardProps {
  title: string;
  /** The one figure to see from afar. */
  figure?: ComponentChildren;
  wide?: boolean;
  children: ComponentChildren;
}

export function Card({ title, figure, wide = false, children }: CardProps) {
  return (
    <section class={wide ? 'card wide' : 'card'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {figure === undefined ? null : <p class="figure">{figure}</p>}
      </header>
      {children}
    </section>
  );
}
