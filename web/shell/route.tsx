import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { basePath, viewPath } from '../state/base-path.ts';
import { noteNavigation } from './found-place.ts';

/** The path of the view that is shown, percent-encoded; every view has an address of its own. */
export const path = signal(viewPath(location.pathname));
/** The query parameters: range, moment, row. */
export const search = signal(location.search);
const parameters = computed(() => new URLSearchParams(search.value));

export const parameter = (name: string): string | null => parameters.value.get(name);

addEventListener('popstate', () => {
  path.value = viewPath(location.pathname);
  search.value = location.search;
});

export function navigate(to: string): void {
  noteNavigation();
  const [wanted = '/', query = ''] = to.split('?');
  const next = query === '' ? '' : `?${query}`;
  if (wanted === path.value && next === search.value) return;
  const moved = wanted !== path.value;
  history.pushState(null, '', basePath + to);
  path.value = wanted;
  search.value = next;
  if (moved) scrollTo(0, 0);
}

/** Changes query parameters of the current view; null removes one. */
export function setParameters(changes: Record<string, string | null>, { replace = false } = {}): void {
  const next = addressWith(changes);
  if (next === `${path.value}${search.value}`) return;
  if (replace) history.replaceState(null, '', basePath + next);
  else history.pushState(null, '', basePath + next);
  search.value = location.search;
}

export function addressWith(changes: Record<string, string | null>, view = path.value): string {
  const next = new URLSearchParams(parameters.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  const query = next.toString();
  return query === '' ? view : `${view}?${query}`;
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
    <a href={basePath + to} onClick={follow} aria-current={current ? 'page' : undefined} {...rest}>
      {children}
    </a>
  );
}
