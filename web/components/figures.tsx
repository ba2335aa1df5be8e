import { latestOf } from '../state/history.ts';
import { rate } from '../units.ts';
import { Icon } from './icon.tsx';

/** A figure with its unit in small. */
export function Quantity({ text }: { text: string }) {
  const [, value, unit] = /^(.*\d) (\D+)$/.exec(text) ?? [];
  if (value === undefined || unit === undefined) return <>{text}</>;
  return (
    <>
      {value} <small>{unit}</small>
    </>
  );
}

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

interface MeterProps {
  label: string;
  /** 0-100; null: unknown. */
  value: number | null;
  text: string;
  /** Low values are critical, as for a charge; otherwise high values are. */
  lowIsBad?: boolean;
}

/** A bar with text on both sides. */
export function Meter({ label, value, text, lowIsBad = false }: MeterProps) {
  const strain = value === null ? 0 : lowIsBad ? 100 - value : value;
  const level = strain >= 95 ? 'critical' : strain >= 85 ? 'high' : '';
  return (
    <div class="meter">
      <span class="meter-label" title={label}>
        {label}
      </span>
      <span class="meter-text">{text}</span>
      {value === null ? null : (
        <meter class={level} min={0} max={100} value={value} aria-label={label} aria-valuetext={text} />
      )}
    </div>
  );
}
