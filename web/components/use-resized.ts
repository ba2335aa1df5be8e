import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Calls back with the element at first, and when its size changes: asked for in between, a size costs another layout. */
export function useResized<E extends Element>(holder: RefObject<E | null>, resized: (element: E) => void): void {
  useEffect(() => {
    const { current: element } = holder;
    if (element === null) return;
    const observer = new ResizeObserver(() => resized(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
