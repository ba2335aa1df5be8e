/** Every topic of one machine. `root`: the first part, from the settings. */
export function topicsOf(root: string, id: string) {
  const base = `${root}/${id}`;
  return {
    root,
    base,
    availability: `${base}/availability`,
    powerState: `${base}/power_state`,
    /** The payload of a module, as everywhere else. */
    state: (module: string) => `${base}/state/${module}`,
    /** The same as home automation shows it: one value for each entity. */
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

export const discoveryPrefix = 'homeassistant';
/** Where Home Assistant says that it has started. */
export const birthTopic = `${discoveryPrefix}/status`;

/** As a level of a topic, and in ids of discovery. */
export const topicId = (uuid: string): string =>
  uuid
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 64);
