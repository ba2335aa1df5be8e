/** The module shows what the service knows: both go by one schema. */

export type { AlertsState as AlertsPayload } from '../../core/alerts.schema.ts';
export { alertsSchema } from '../../core/alerts.schema.ts';
