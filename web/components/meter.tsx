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
