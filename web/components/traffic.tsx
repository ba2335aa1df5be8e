import { latestOf } from '../state/history.ts';
import { rate } from '../units.ts';
import { Icon } from './icon.tsx';
import { Quantity } from './quantity.tsx';

/** Two rates of now. Arrows stand for the directions of a network; disks are read and written. */
export function Traffic({ history, into }: { history: string; into: 'received' | 'read' }) {
  const isNetwork = into === 'received';
  const [first, second] = isNetwork ? ['Received', 'Sent'] : ['Read', 'Written'];
  return (
    <span class={isNetwork ? 'traffic' : 'traffic worded'}>
      <span class="line-1" title={first}>
        {isNetwork ? <Icon name="received" /> : null}
        <span class={isNetwork ? 'spoken' : 'label'}>{first} </span>
        <Quantity text={rate(latestOf(history, 0))} />
      </span>
      <span class="line-2" title={second}>
        {isNetwork ? <Icon name="sent" /> : null}
        <span class={isNetwork ? 'spoken' : 'label'}>{second} </span>
        <Quantity text={rate(latestOf(history, 1))} />
      </span>
    </span>
  );
}
