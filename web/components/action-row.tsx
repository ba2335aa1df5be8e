import { useSignal } from '@preact/signals';
import { attempt } from '../shell/announcements.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import { confirmed } from './confirm.tsx';

export interface RowOrder {
  event: string;
  label: string;
  data: Record<string, unknown>;
  /** Text of the confirmation; null: runs without one. */
  text: string | null;
  isGrave?: boolean;
}

interface OrderRowProps {
  /** Name of the target in the confirmation. */
  to: string;
  orders: readonly RowOrder[];
  /** Why no action is available for this target; null: they are. */
  refusal?: string | null;
  timeoutMs?: number;
}

/** Actions of one entry of a list, or the reason why they are unavailable. */
export function OrderRow({ to, orders, refusal = null, timeoutMs }: OrderRowProps) {
  const busy = useSignal(false);
  const give = async ({ event, label, data, text }: RowOrder) => {
    if (text !== null && !(await confirmed(`${label} ${to}?`, text, label))) return;
    busy.value = true;
    await attempt(() => request(event, data, timeoutMs === undefined ? {} : { timeoutMs }));
    busy.value = false;
  };
  return (
    <>
      <p class="buttons">
        {orders.map((order) => {
          const reason = refusal ?? obstacle(order.event);
          return (
            <button
              key={order.label}
              type="button"
              class={order.isGrave === true ? 'danger plain' : 'plain'}
              disabled={reason !== null || busy.value}
              title={reason ?? undefined}
              onClick={() => give(order)}
            >
              {order.label}
            </button>
          );
        })}
      </p>
      {refusal === null ? null : <p class="small">{refusal}</p>}
    </>
  );
}
