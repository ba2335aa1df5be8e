import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { parameter, setParameters } from '../shell/route.tsx';

const settleMs = 300;

/** A text that is also in the address, so that a filter can be shared as a link. */
export function useAddressed(name: string): Signal<string> {
  const said = parameter(name) ?? '';
  const text = useSignal(said);
  const written = useRef(said);
  // The user navigated. An address that this hook wrote may be older than the text typed since.
  useEffect(() => {
    if (said === written.current) return;
    written.current = said;
    text.value = said;
  }, [said]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.value === written.current) return;
      written.current = text.value;
      setParameters({ [name]: text.value === '' ? null : text.value }, { replace: true });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text.value]);
  return text;
}
