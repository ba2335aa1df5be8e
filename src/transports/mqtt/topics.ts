/** Every topic of one machine. `root`: the first part, from the settings. */
export function topicsOf(root: string, id: string) {
  const base = `${root}/${id}`;
  return {
    root,
    base,
    availability: `${base}/availability`,
    powerState: `${base}/power_state`,
    /** The payload of a module, as in the API. */
    state: (module: string) => `${base}/state/${module}`,
    /** The same for home automation: one value for each entity. */
    values: (group: string) => `${base}/values/${group}`,
    image: (key: string) => `${base}/image/${key}`,
    command: (key: string) => `${base}/command/${key}`,
    commands: `${base}/command/+`,
    event: (key: string) => `${base}/event/${key}`,
    request: `${base}/request`,
    config: `${discoveryPrefix}/device/hostler_${id}/config`,
    entityConfig: (component: string, key: string) => `${discoveryPrefix}/${component}/hostler_${id}/${key}/config`,
  };
}

export type Topics = ReturnType<typeof topicsOf>;

/** The first part of all topics by default: other machines may use it where this one does not. */
export const defaultRoot = 'hostler';
export const discoveryPrefix = 'homeassistant';
/** Home Assistant's birth message. */
export const birthTopic = `${discoveryPrefix}/status`;

/** Valid as a topic level and in discovery ids. */
export const topicId = (uuid: string): string =>
  uuid
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 64);
