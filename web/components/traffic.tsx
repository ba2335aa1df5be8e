import { latestOf } from '../state/history.ts';
import { rate } from '../units.ts';
import { Icon } from './icon.tsx';
import { Quantity } from './quantity.tsx';

/** Two rates of now, in and out. */
export function Traffic({ history, into }: { history: string; into: 'received' | 'read' }) {
  const [first, second] = into === 'received' ? ['Received', 'Sent'] : ['Read', 'Written'];
  return (
    <span class="traffic">
      <span class="line-1" title={first}>
        <Icon name="received" />
        <span class="spoken">{first} </span>
        <Quantity text={rate(latestOf(history, 0))} />
      </span>
      <span class="line-2" title={second}>
        <Icon name="sent" />
        <span class="spoken">{second} </span>
        <Quantity text={rate(latestOf(history, 1))} />
      </span>
    </span>
  );
}
