import type { ComponentChildren } from 'preact';
import { Card } from './card.tsx';
import { Icon, type IconName } from './icon.tsx';

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
