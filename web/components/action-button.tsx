import type { ComponentChildren } from 'preact';
import { attempt } from '../shell/announcements.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';

interface OrderProps {
  event: string;
  data?: Record<string, unknown>;
  /** Said when the service has nothing to say; null: success shows by itself. */
  done?: string | null;
  class?: string;
  label?: string;
  pressed?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

/** A button that sends one event. Where it would not work it says why instead. */
export function Order({
  event,
  data = {},
  done = null,
  label,
  pressed,
  disabled = false,
  children,
  ...rest
}: OrderProps) {
  const reason = obstacle(event);
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      title={reason ?? label}
      disabled={disabled || reason !== null}
      onClick={() => attempt(() => request(event, data), done)}
      {...rest}
    >
      {children}
    </button>
  );
}
