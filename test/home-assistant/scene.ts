import { entryOf, issuesOf } from './flows.ts';
import type { HomeAssistant, State } from './home-assistant.ts';
import type { Machine } from './machine.ts';
import { expectTrue, type Report } from './report.ts';

/** What the checks share: Home Assistant with the first entry of the integration, and the machine behind it. */
export interface Scene extends Pick<Report, 'check'> {
  home: HomeAssistant;
  machine: Machine;
  idOf(key: string): Promise<string>;
  stateOf(key: string): Promise<State | undefined>;
  isAvailable(key: string): Promise<boolean>;
  /** Throws what Home Assistant shows where it fails. */
  service(
    domain: string,
    name: string,
    data: Record<string, unknown>,
    returnsResponse?: boolean,
  ): Promise<{ response: unknown }>;
  isLoaded(): Promise<boolean>;
  entryId(): Promise<string>;
  hasIssue(key: string): Promise<boolean>;
  /** The service call fails and says why; the sentence. */
  refusalOf(action: string, input: unknown): Promise<string>;
}

export function createScene(home: HomeAssistant, machine: Machine, { check }: Report): Scene {
  const entryId = async () => (await entryOf(home))?.entry_id ?? '';
  const idOf = async (key: string): Promise<string> => {
    const all = await home.ask<{ entity_id: string; unique_id: string }[]>('config/entity_registry/list');
    const found = all.find(({ unique_id }) => unique_id.endsWith(`_${key}`));
    if (found === undefined) throw new Error(`there is no entity ${key}`);
    return found.entity_id;
  };
  const stateOf = async (key: string) => (await home.states()).get(await idOf(key));
  const service: Scene['service'] = async (domain, name, data, returnsResponse = false) =>
    await home.ask('call_service', { domain, service: name, service_data: data, return_response: returnsResponse });
  return {
    home,
    machine,
    check,
    idOf,
    stateOf,
    isAvailable: async (key) => (await stateOf(key))?.state !== 'unavailable',
    service,
    isLoaded: async () => (await entryOf(home))?.state === 'loaded',
    entryId,
    hasIssue: async (key) => (await issuesOf(home)).some(({ translation_key }) => translation_key === key),
    async refusalOf(action, input) {
      const start = performance.now();
      const data = { config_entry_id: await entryId(), action, input };
      const refusal = await service('hostler', 'run', data).then(
        () => null,
        (error: Error) => error.message,
      );
      expectTrue(refusal?.includes('scope') === true, `it answered ${refusal}`);
      return `${refusal} (${Math.round(performance.now() - start)} ms)`;
    },
  };
}
