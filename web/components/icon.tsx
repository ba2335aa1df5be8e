import { createElement } from 'preact';
import { iconShapes } from './icon-shapes.generated.ts';

export type IconName = keyof typeof iconShapes;

/** Decorative: the text beside it or the label of its parent names it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {iconShapes[name].map(([tag, attributes], index) => createElement(tag, { key: index, ...attributes }))}
    </svg>
  );
}
