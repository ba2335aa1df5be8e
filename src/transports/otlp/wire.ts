/** Shared by both encodings. https://github.com/open-telemetry/opentelemetry-proto (v1) */

export const scopeName = 'hostler';

/** Schema version of the metric names. */
export const conventions = 'https://opentelemetry.io/schemas/1.44.0';

/** AGGREGATION_TEMPORALITY_CUMULATIVE: a counter reports its total since its start, not since the last export. */
export const cumulative = 2;
