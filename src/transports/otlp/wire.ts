/** What both encodings have in common. https://github.com/open-telemetry/opentelemetry-proto (v1) */

export const scopeName = 'hostler';

/** The version of the names that modules use. */
export const conventions = 'https://opentelemetry.io/schemas/1.44.0';

/** AGGREGATION_TEMPORALITY_CUMULATIVE: a counter says how much it is since its beginning, not since the last time. */
export const cumulative = 2;
