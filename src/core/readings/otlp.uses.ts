import type { OtlpUse } from './rows.ts';

/** How the samples of a row's metric appear in OTLP: `otlp: asCounter('system.disk.io', 'By', attributes)`. */
const useOf =
  (kind: OtlpUse['kind'], isWhole: boolean) =>
  (name: string, unit: string, attributes: OtlpUse['attributes'] = {}): OtlpUse[] => [
    { name, unit, kind, isWhole, attributes },
  ];

export const asCounter = useOf('counter', true);
export const asSeconds = useOf('counter', false);
export const asSum = useOf('sum', true);
export const asGauge = useOf('gauge', false);
export const asWholeGauge = useOf('gauge', true);
