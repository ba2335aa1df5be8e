import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { inTwo } from './reason-text.ts';

interface EmptyProps {
  icon: IconName;
  /** One sentence: what is missing. */
  sentence: string;
  /** What to do about it. */
  children?: ComponentChildren;
}

export function Empty({ icon, sentence, children }: EmptyProps) {
  return (
    <section class="card empty">
      <Icon name={icon} />
      <p>{sentence}</p>
      {children === undefined || children === '' ? null : <p class="small">{children}</p>}
    </section>
  );
}

export function EmptyBecause({ icon, reason }: { icon: IconName; reason: string }) {
  const { fact, advice } = inTwo(reason);
  return (
    <Empty icon={icon} sentence={fact}>
      {advice}
    </Empty>
  );
}
