import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** The path of the view that is shown, percent-encoded; every view has an address of its own. */
export const path = signal(location.pathname);

addEventListener('popstate', () => {
  path.value = location.pathname;
});

export function navigate(to: string): void {
  if (to === path.value) return;
  history.pushState(null, '', to);
  path.value = to;
  scrollTo(0, 0);
}

interface LinkProps {
  to: string;
  class?: string;
  current?: boolean;
  title?: string;
  children: ComponentChildren;
}

/** An ordinary link, so that it can be copied and opened elsewhere; a plain click stays on the page. */
export function Link({ to, current = false, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} aria-current={current ? 'page' : undefined} {...rest}>
      {children}
    </a>
  );
}
