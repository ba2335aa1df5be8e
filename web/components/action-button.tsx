import type { ComponentChildren } from 'preact';
import { attempt } from '../shell/announcements.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';

interface OrderProps {
  event: string;
  data?: Record<string, unknown>;
  /** Announced if the service returns no message; null: success is visible elsewhere. */
  done?: string | null;
  class?: string;
  label?: string;
  pressed?: boolean;
  disabled?: boolean;
  /** Why it is unavailable here, whatever the event. */
  refusal?: string | null;
  /** Instead of sending the event. */
  give?(): unknown;
  children: ComponentChildren;
}

/** A button that sends one event. If unavailable, it shows the reason. */
export function Order({
  event,
  data = {},
  done = null,
  label,
  pressed,
  disabled = false,
  refusal = null,
  give = () => attempt(() => request(event, data), done),
  children,
  ...rest
}: OrderProps) {
  const reason = refusal ?? obstacle(event);
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      title={reason ?? label}
      disabled={disabled || reason !== null}
      onClick={give}
      {...rest}
    >
      {children}
    </button>
  );
}
