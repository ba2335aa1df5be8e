import { z } from 'zod';

export const mqttStatusSchema = z.object({
  enabled: z.boolean().describe('Whether a broker is set (mqtt.url)'),
  broker: z.string().nullable().describe('Address of the broker'),
  encrypted: z.boolean().nullable().describe('Whether the connection to it uses TLS'),
  connected: z.boolean().describe('Whether the broker has accepted the connection'),
  since: z.string().nullable().describe('Since when it is connected, ISO 8601 in UTC'),
  protocol: z.enum(['5', '3.1.1']).nullable().describe('Version of MQTT that is spoken'),
  id: z.string().nullable().describe('Id of this machine in its topics'),
  topic: z.string().nullable().describe('What all its topics begin with'),
  modules: z.array(z.string()).describe('Modules that are published'),
  entities: z.int().nonnegative().describe('Entities announced to Home Assistant'),
  discovery: z.enum(['device', 'entity', 'off']).describe('How it is announced'),
  messages: z.int().nonnegative().describe('Messages published since the service started'),
  scopes: z.array(z.string()).describe('What every client that can publish at the broker may do'),
  controls: z.array(z.string()).describe('Controls that are offered there'),
  problem: z.string().nullable().describe('What went wrong last, while it is not connected'),
  retry_at: z.string().nullable().describe('When the next attempt is made, ISO 8601 in UTC'),
});

export type MqttStatus = z.infer<typeof mqttStatusSchema>;
