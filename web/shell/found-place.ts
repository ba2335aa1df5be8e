let hasNavigated = false;

export function noteNavigation(): void {
  hasNavigated = true;
}

/** A page of another origin can open any address and ask for a key: the focus moves to a control only after a navigation within this page. */
export function showFound(place?: HTMLElement | null, control = place): void {
  place?.scrollIntoView({ block: 'center' });
  if (hasNavigated) control?.focus({ preventScroll: true });
}
