import { z } from 'zod';

const describedEntitySchema = z.object({
  key: z.string().describe('Identifies it; never changes'),
  platform: z
    .string()
    .describe(
      'Kind of entity, as Home Assistant names it: sensor, binary_sensor, button, switch, number, select, text, notify, event, image, update or media_player',
    ),
  name: z.string().describe('Name for people, in English'),
  group: z.string().describe('Module or action it belongs to'),
  device_class: z.string().optional().describe('Device class of Home Assistant; omitted: none'),
  unit: z.string().optional().describe('Unit of its value; omitted: none'),
  state_class: z.string().optional().describe('State class of Home Assistant; omitted: it has no statistics'),
  category: z.literal('diagnostic').optional().describe('Omitted: it is a primary entity'),
  enabled: z.literal(false).optional().describe('false: it is off until the user enables it'),
  icon: z.string().optional().describe('Icon of Material Design; omitted: that of its class'),
  options: z.array(z.string()).optional().describe('Its possible values'),
  min: z.number().optional().describe('Smallest value'),
  max: z.number().optional().describe('Largest value'),
  step: z.number().optional().describe('Step of the value'),
  event_types: z.array(z.string()).optional().describe('Types of its events'),
  control: z
    .object({
      action: z.string().describe('The action that a value runs'),
      scopes: z.array(z.string()).describe('Any one of these is enough'),
      effect: z.enum(['read', 'write', 'disrupt']).describe('disrupt: it interrupts the user of the machine'),
      has_state: z.boolean().describe('Whether it has a value among those of the entities'),
    })
    .optional()
    .describe('Omitted: it cannot be controlled'),
});

const known = (meaning: string) => z.string().nullable().describe(meaning);

export const entityDescriptionsSchema = z.object({
  revision: z.number().describe('Changes with this description; the values carry it too'),
  device: z
    .object({
      id: known('Id of the machine; null: it has no lasting one'),
      name: known('Name of the machine'),
      manufacturer: known('Manufacturer'),
      model: known('Model'),
      mac: known('Hardware address of its main network interface'),
      address: known('Address for clients'),
      version: z.string().describe('Version of the service'),
      url: known('The dashboard; null: not reachable from other machines'),
    })
    .describe('The machine'),
  entities: z.array(describedEntitySchema).describe('Controls are those that this token may use'),
  whole: z
    .array(z.string())
    .describe('Groups whose settings decide which entities there are: one that is missing was removed'),
  missing_scopes: z.array(z.string()).describe('Scopes with which this token would have more controls'),
});

export const entityValuesSchema = z.object({
  revision: z.number().describe('Revision of the description; if it has changed, get /api/entities again'),
  values: z
    .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null(), z.record(z.string(), z.unknown())]))
    .describe(
      'By key; null and missing: unknown. Of an image the address of the picture, or the time of its change, Unix milliseconds: /api/entities/picture has it; nothing where the picture is the answer of the action of its group',
    ),
  attributes: z.record(z.string(), z.record(z.string(), z.unknown())).describe('Additional attributes by key'),
});

export const controlEntitySchema = z.object({
  key: z.string().max(255).describe('Key of the control'),
  value: z
    .union([z.string().max(65_536), z.number(), z.boolean(), z.record(z.string(), z.unknown())])
    .nullish()
    .describe(
      'PRESS or nothing for a button; true or false for a switch; a number; an option; a text or a notification; for the media player an input of media.control',
    ),
});

export type DescribedEntityJson = z.infer<typeof describedEntitySchema>;
export type EntityDescriptions = z.infer<typeof entityDescriptionsSchema>;
