import { type ActionRequests, actionReplies, type ModulePayloads, moduleIntervals } from './events.generated.ts';

export type { ModulePayloads, Selection } from './events.generated.ts';

export type ModuleName = keyof ModulePayloads;

/** A message of the service. */
export interface ServerMessage {
  id: string;
  type: string;
  subtype: string;
  data: unknown;
  message?: string;
  module?: string;
}

export interface Reply<R> {
  data: R;
  /** Empty where the service sends no text. */
  message: string;
}

/** As generated: types of the schemas would need the schema library. */
type Settings = ActionRequests['GET_SETTINGS']['result'];

/** Objects are merged, lists replaced, omitted fields unchanged. */
export type SettingsPatch = Patch<Settings>;

type Patch<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Patch<T[K]> } : T;

/** Input and response of each event. */
export interface Requests extends Omit<ActionRequests, 'UPDATE_SETTINGS' | 'GET_SETTINGS'> {
  GET_SETTINGS: { data: object; result: Settings };
  UPDATE_SETTINGS: { data: SettingsPatch; result: Settings };
}

export type EventName = keyof Requests;

/** Milliseconds between two updates of what changes all the time, for those who watch it. */
export const liveIntervals: Readonly<Record<string, number>> = moduleIntervals;

export type DataEvent = 'GET_DATA' | 'REGISTER_DATA_LISTENER' | 'UNREGISTER_DATA_LISTENER';

/** Type of the message that is the response; all others under the same id are passed on as well. */
export const replies: Record<EventName | DataEvent, string> & Partial<Record<string, string>> = {
  GET_DATA: 'DATA_GET',
  REGISTER_DATA_LISTENER: 'DATA_LISTENER_REGISTERED',
  UNREGISTER_DATA_LISTENER: 'DATA_LISTENER_UNREGISTERED',
  ...actionReplies,
};
