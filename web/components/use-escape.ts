import { useEffect } from 'preact/hooks';

/** Escape closes what is open beside the view, and the focus returns to where it was. An open dialog and a field with text come first. */
export function useEscape(close: () => void): void {
  useEffect(() => {
    const opener = document.activeElement;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      if (event.target instanceof HTMLInputElement && event.target.value !== '') return;
      event.preventDefault();
      close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
