/**
 * What Home Assistant's MQTT integration accepts, written down from its published schemas (homeassistant/components/mqtt: schemas.py,
 * discovery.py, and the file of each component; sensor/const.py for classes and units). Gives one sentence for each rule that is broken.
 */
export function discoveryProblems(message: unknown): string[] {
  if (!isObject(message)) return ['the message is no object'];
  const { device, origin, components, ...rest } = message;
  const isUnknown = (key: string) => !rootKeys.has(key);
  return [
    ...Object.keys(rest)
      .filter(isUnknown)
      .map((key) => `the root has an unknown key ${key}`),
    ...deviceProblems(device),
    ...originProblems(origin),
    ...(isObject(components)
      ? [
          ...Object.entries(components).flatMap(([key, config]) => componentProblems(key, config)),
          ...repeated(Object.values(components)),
        ]
      : ['components are missing']),
  ];
}

/** One entity, as in a separate message or in one about the whole device. */
export function componentProblems(key: string, config: unknown): string[] {
  if (!isObject(config)) return [`${key} is no object`];
  const { platform } = config;
  const say = (sentence: string) => `${key}: ${sentence}`;
  if (typeof platform !== 'string' || !(platform in components)) return [say(`there is no component ${platform}`)];
  // Taken back.
  if (Object.keys(config).length === 1) return [];
  const { required, allowed } = components[platform as keyof typeof components];
  const known = new Set([...common, ...required, ...allowed]);
  const problems = [
    ...(/^[a-z0-9_-]+$/.test(key) ? [] : [say('its id has other characters than a-z, 0-9, _ and -')]),
    ...['unique_id', ...required].filter((name) => config[name] === undefined).map((name) => say(`${name} is missing`)),
    ...Object.keys(config)
      .filter((name) => !known.has(name))
      .map((name) => say(`${name} is unknown`)),
    ...('object_id' in config ? [say('object_id is deprecated')] : []),
    ...('expire_after' in config ? [say('states are sent on change, so they do not expire')] : []),
    ...Object.entries(config)
      .filter(([name, value]) => name.endsWith('topic') && !isTopic(value))
      .map(([name]) => say(`${name} is no topic`)),
    ...Object.entries(config)
      .filter(([, value]) => value === null)
      .map(([name]) => say(`${name} is null`)),
  ];
  const entityId = config.default_entity_id;
  if (entityId !== undefined && !new RegExp(`^${platform}\\.[a-z0-9_]+$`).test(String(entityId)))
    problems.push(say(`default_entity_id ${entityId} is no entity id of a ${platform}`));
  if (config.entity_category !== undefined && !['config', 'diagnostic'].includes(String(config.entity_category)))
    problems.push(say('entity_category is unknown'));
  if (config.icon !== undefined && !/^[a-z]+:[a-z0-9-]+$/.test(String(config.icon))) problems.push(say('icon is none'));
  return [...problems, ...classProblems(config).map(say)];
}

function classProblems(config: Record<string, unknown>): string[] {
  const { platform, device_class: kind, unit_of_measurement: unit, state_class: state, options } = config;
  if (platform !== 'sensor') {
    const classes = classesOf[String(platform)];
    return kind === undefined || classes?.includes(String(kind)) ? [] : [`${platform} has no device class ${kind}`];
  }
  const problems: string[] = [];
  if (kind !== undefined) {
    const units = sensorUnits[String(kind)];
    if (units === undefined) problems.push(`there is no device class ${kind}`);
    else if (units.length === 0 ? unit !== undefined : !units.includes(String(unit)))
      problems.push(`${kind} is not measured in ${unit}`);
    const states = sensorStates[String(kind)] ?? ['measurement'];
    if (state !== undefined && !states.includes(String(state))) problems.push(`${kind} cannot be ${state}`);
  }
  if (state !== undefined && !['measurement', 'total', 'total_increasing'].includes(String(state)))
    problems.push(`there is no state class ${state}`);
  if ((kind === 'enum') !== Array.isArray(options)) problems.push('options belong to the class enum, and only to it');
  if (unit !== undefined && state === undefined) problems.push('a number without a state class has no statistics');
  return problems;
}

const rootKeys = new Set([
  'availability',
  'availability_mode',
  'availability_template',
  'availability_topic',
  'payload_available',
  'payload_not_available',
  'state_topic',
  'command_topic',
  'message_expiry_interval',
  'qos',
  'encoding',
]);

const common = [
  'platform',
  'unique_id',
  'default_entity_id',
  'name',
  'device_class',
  'entity_category',
  'enabled_by_default',
  'icon',
  'availability_topic',
  'json_attributes_topic',
  'json_attributes_template',
  'qos',
  'message_expiry_interval',
];

const components = {
  sensor: {
    required: ['state_topic'],
    allowed: ['value_template', 'unit_of_measurement', 'state_class', 'options', 'suggested_display_precision'],
  },
  binary_sensor: { required: ['state_topic'], allowed: ['value_template', 'payload_on', 'payload_off'] },
  button: { required: ['command_topic'], allowed: ['payload_press'] },
  number: {
    required: ['command_topic'],
    allowed: ['state_topic', 'value_template', 'min', 'max', 'step', 'mode', 'unit_of_measurement'],
  },
  switch: {
    required: ['command_topic'],
    allowed: ['state_topic', 'value_template', 'payload_on', 'payload_off', 'state_on', 'state_off'],
  },
  select: { required: ['command_topic', 'options'], allowed: ['state_topic', 'value_template'] },
  text: { required: ['command_topic'], allowed: ['state_topic', 'value_template', 'min', 'max', 'mode', 'pattern'] },
  notify: { required: ['command_topic'], allowed: ['command_template'] },
  event: { required: ['state_topic', 'event_types'], allowed: ['value_template'] },
  image: { required: ['image_topic'], allowed: ['content_type', 'image_encoding'] },
  update: { required: ['state_topic'], allowed: ['value_template', 'title', 'release_url'] },
} as const satisfies Record<string, { required: readonly string[]; allowed: readonly string[] }>;

const classesOf: Record<string, readonly string[]> = {
  binary_sensor: [
    'battery',
    'battery_charging',
    'connectivity',
    'power',
    'problem',
    'running',
    'update',
    'sound',
    'occupancy',
    'presence',
    'plug',
    'lock',
  ],
  button: ['identify', 'restart', 'update'],
  switch: ['outlet', 'switch'],
  update: ['firmware'],
  event: ['button', 'doorbell', 'motion'],
};

/** None: it has no unit. */
const sensorUnits: Record<string, readonly string[]> = {
  battery: ['%'],
  duration: ['d', 'h', 'min', 's', 'ms', 'μs'],
  temperature: ['°C', '°F', 'K'],
  power: ['mW', 'W', 'kW', 'MW', 'GW', 'TW', 'BTU/h'],
  frequency: ['Hz', 'kHz', 'MHz', 'GHz'],
  voltage: ['V', 'mV', 'μV', 'kV', 'MV'],
  data_size: ['bit', 'kbit', 'Mbit', 'Gbit', 'B', 'kB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB'],
  data_rate: ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'B/s', 'kB/s', 'MB/s', 'GB/s', 'KiB/s', 'MiB/s', 'GiB/s'],
  enum: [],
  timestamp: [],
};

const anyState = ['measurement', 'total', 'total_increasing'];
const sensorStates: Record<string, readonly string[]> = {
  data_size: anyState,
  duration: anyState,
  enum: [],
  timestamp: [],
};

function deviceProblems(device: unknown): string[] {
  if (!isObject(device)) return ['device is missing'];
  const known = ['identifiers', 'connections', 'name', 'manufacturer', 'model', 'sw_version', 'configuration_url'];
  const url = device.configuration_url;
  return [
    ...Object.keys(device)
      .filter((key) => !known.includes(key))
      .map((key) => `device has an unknown key ${key}`),
    ...(Array.isArray(device.identifiers) && device.identifiers.length > 0 ? [] : ['device has no identifiers']),
    ...(url === undefined || /^https?:\/\/[^/]+/.test(String(url)) ? [] : ['configuration_url is no address']),
  ];
}

function originProblems(origin: unknown): string[] {
  if (!isObject(origin)) return ['origin is missing'];
  const unknown = Object.keys(origin).filter((key) => !['name', 'sw_version', 'support_url'].includes(key));
  return [
    ...unknown.map((key) => `origin has an unknown key ${key}`),
    ...(typeof origin.name === 'string' ? [] : ['origin has no name']),
  ];
}

function repeated(configs: readonly unknown[]): string[] {
  const ids = configs.flatMap((config) => (isObject(config) && config.unique_id ? [String(config.unique_id)] : []));
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`);
}

const isTopic = (value: unknown) => typeof value === 'string' && value !== '' && !/[#+]/.test(value);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
