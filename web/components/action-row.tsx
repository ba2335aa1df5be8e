import { useSignal } from '@preact/signals';
import { attempt } from '../shell/announcements.tsx';
import { request } from '../state/live.ts';
import { Order } from './action-button.tsx';
import { confirmed } from './confirm.tsx';

export interface Offer<T> {
  event: string;
  label: string;
  /** Text of the confirmation; without one it runs at once. */
  text?: string;
  /** Beside the data that all actions of an entry send. */
  data?: Record<string, unknown>;
  isGrave?: boolean;
  isFor(entry: T): boolean;
}

interface OrderRowProps {
  /** Name of the target in the confirmation. */
  to: string;
  offers: readonly Omit<Offer<never>, 'isFor'>[];
  data: Record<string, unknown>;
  /** Why no action is available for this target; null: they are. */
  refusal?: string | null;
  timeoutMs?: number;
}

/** Actions of one entry of a list, or the reason why they are unavailable. */
export function OrderRow({ to, offers, data, refusal = null, timeoutMs }: OrderRowProps) {
  const busy = useSignal(false);
  const give = async ({ event, label, data: own, text }: OrderRowProps['offers'][number]) => {
    if (text !== undefined && !(await confirmed(`${label} ${to}?`, text, label))) return;
    busy.value = true;
    await attempt(() => request(event, { ...data, ...own }, timeoutMs === undefined ? {} : { timeoutMs }));
    busy.value = false;
  };
  return (
    <>
      <p class="buttons">
        {offers.map((offer) => (
          <Order
            key={offer.label}
            event={offer.event}
            class={offer.isGrave === true ? 'danger plain' : 'plain'}
            disabled={busy.value}
            refusal={refusal}
            give={() => give(offer)}
          >
            {offer.label}
          </Order>
        ))}
      </p>
      {refusal === null ? null : <p class="small">{refusal}</p>}
    </>
  );
}
