interface MeterProps {
  label: string;
  /** 0-100; null: unknown. */
  value: number | null;
  text: string;
}

/** A bar with what it stands for in words on both sides. */
export function Meter({ label, value, text }: MeterProps) {
  const level = value === null ? '' : value >= 95 ? 'critical' : value >= 85 ? 'high' : '';
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span class="meter-text">{text}</span>
      <meter class={level} min={0} max={100} value={value ?? 0} aria-label={label} aria-valuetext={text} />
    </div>
  );
}
