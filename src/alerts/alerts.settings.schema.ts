import { z } from 'zod';
import { unit } from '../core/unit.schema.ts';

const id = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,31}$/,
    'lower-case letters, digits, _ and -, at most 32, beginning with a letter or digit',
  );

const clockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00');

/** Names that no webhook and no target may have. */
const ownWays = ['screen', 'mqtt'];

/** Secrets are sent encrypted; traffic within this machine need not be. */
const isSafeAddress = (text: string) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isHere)) && username === '' && password === '';
};

const whenSchema = z
  .object({
    series: z.string().min(1).max(200).optional().describe('A recorded series, such as cpu, memory or temperature/KEY'),
    above: z.number().optional().describe('The alert begins when the series is above this'),
    below: z.number().optional().describe('The alert begins when the series is below this'),
    clear: z
      .number()
      .optional()
      .describe('The alert ends when the series is back at this; left out: 5 % back from the threshold')
      .meta({ title: 'Ends at' }),
    event: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, 'the name of an event, such as disk_full')
      .optional()
      .describe('Instead of a series: something that happens, such as disk_full, session or mount'),
    match: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Only events about this, such as /home; * stands for anything'),
    percent: z.number().min(1).max(100).optional().describe('For disk_full: how full'),
    for: z
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .describe('Seconds the condition must last before the alert begins; left out: 0')
      .meta({ title: 'For at least', ...unit('seconds') }),
  })
  .superRefine((when, context) => {
    const say = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] });
    const { series, event, above, below, clear } = when;
    if ((series === undefined) === (event === undefined)) return say('name either a series or an event', 'series');
    if (event !== undefined) {
      for (const key of ['above', 'below', 'clear'] as const)
        if (when[key] !== undefined) say('belongs to a series; this is an event', key);
      return;
    }
    for (const key of ['match', 'percent'] as const)
      if (when[key] !== undefined) say('belongs to an event; this is a series', key);
    if ((above === undefined) === (below === undefined)) return say('say either above or below', 'above');
    if (clear === undefined) return;
    if (above !== undefined && clear > above) say('cannot lie above "above"', 'clear');
    if (below !== undefined && clear < below) say('cannot lie below "below"', 'clear');
  });

const alertRuleSchema = z.object({
  id: id
    .describe('Identifies the rule in MQTT, Home Assistant and metrics, so do not change it later')
    .meta({ title: 'Id' }),
  name: z.string().trim().min(1).max(100).optional().describe('Name that people see'),
  enabled: z.boolean().default(true).describe('Whether the rule is watched'),
  when: whenSchema.describe('Condition of the alert').meta({ title: 'When' }),
  priority: z
    .enum(['low', 'normal', 'high', 'urgent'])
    .default('normal')
    .describe('How urgent it is, for targets that know priorities'),
  notify: z
    .array(z.string().min(1).max(32))
    .max(10)
    .default([])
    .describe('Who is notified: screen, mqtt, or the id of a webhook or target. Empty: the alert is only shown'),
  quiet: z
    .object({
      from: clockTime.describe('When it begins, such as 22:00').meta({ title: 'From' }),
      to: clockTime.describe('When it ends, such as 07:00').meta({ title: 'To' }),
    })
    .optional()
    .describe('Local time during which no notifications are sent; alerts still active at its end are sent then')
    .meta({ title: 'Quiet time' }),
});

export const recipientId = id
  .refine((name) => !ownWays.includes(name), 'screen and mqtt are reserved; choose another id')
  .describe('Name by which rules refer to it')
  .meta({ title: 'Id' });

const caFile = z
  .string()
  .max(4096)
  .default('')
  .describe("File with the certificates of the authorities to trust for this address (PEM); empty means the system's")
  .meta({ title: 'Authorities file' });

const targetSchema = z.object({
  id: recipientId,
  caFile,
  body: z
    .string()
    .max(16_384)
    .default('')
    .describe(
      'For json:// and jsons://: the body, with placeholders for the title, the message and others; empty means the default',
    )
    .meta({ title: 'Body' }),
});

export const webhookSchema = z.object({
  id: recipientId,
  url: z
    .string()
    .max(2048)
    .refine(
      isSafeAddress,
      'an https:// address without a user name or password in it; http:// only for this machine itself (localhost)',
    )
    .describe('Where alerts are sent')
    .meta({ title: 'Address' }),
  keyFile: z
    .string()
    .max(4096)
    .default('')
    .describe('File with the key that signs what is sent; empty means the one that the command "alerts secret" prints')
    .meta({ title: 'Key file' }),
  caFile,
});

const ruleExample = {
  id: 'hot',
  name: 'Processor is busy',
  enabled: true,
  when: { series: 'cpu', above: 90, for: 300 },
  priority: 'high',
  notify: ['screen', 'ops'],
  quiet: { from: '22:00', to: '07:00' },
};
const webhookExample = { id: 'ops', url: 'https://hooks.example/alerts', keyFile: '', caFile: '' };

export const alertsSettingsSchema = z
  .object({
    rules: z
      .array(alertRuleSchema)
      .max(100)
      .describe(
        'What to watch; each is {id, name, enabled, when, notify, quiet}, with when as {series, above or below, clear, for} or {event, match, percent, for}',
      )
      .meta({ examples: [[ruleExample]] }),
    webhooks: z
      .array(webhookSchema)
      .max(20)
      .describe('Where alerts can be sent; each is {id, url, keyFile, caFile}. What is sent is signed')
      .meta({ examples: [[webhookExample]] }),
    targets: z
      .array(targetSchema)
      .max(20)
      .describe(
        'Services that receive alerts; each is {id, caFile, body}. The page Alerts, or the command "alerts add", sets its secret URL',
      )
      .meta({ examples: [[{ id: 'phone', caFile: '', body: '' }]] }),
    quiet: z
      .string()
      .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d)?$/, 'such as 22:00-07:00, or empty')
      .describe('Local time without notifications for rules without one of their own, such as 22:00-07:00; empty: none')
      .meta({ title: 'Quiet time', examples: ['22:00-07:00'] }),
  })
  .superRefine(({ rules, webhooks, targets }, context) => {
    const lists = [['rules', rules] as const, ['webhooks', webhooks] as const, ['targets', targets] as const];
    for (const [index, { id: given }] of targets.entries())
      if (webhooks.some((webhook) => webhook.id === given))
        context.addIssue({ code: 'custom', message: `the id ${given} is taken`, path: ['targets', index, 'id'] });
    for (const [list, things] of lists)
      for (const [index, { id: given }] of things.entries())
        if (things.findIndex((other) => other.id === given) !== index)
          context.addIssue({ code: 'custom', message: `the id ${given} is taken`, path: [list, index, 'id'] });
    const known = [...ownWays, ...[...webhooks, ...targets].map((recipient) => recipient.id)];
    for (const [index, { notify }] of rules.entries())
      for (const [at, way] of notify.entries())
        if (!known.includes(way))
          context.addIssue({
            code: 'custom',
            message: `there is no webhook or target ${JSON.stringify(way)}; there are ${known.join(', ')}`,
            path: ['rules', index, 'notify', at],
          });
  });

export type AlertRule = z.infer<typeof alertRuleSchema>;
export type AlertTarget = z.infer<typeof targetSchema>;
export type AlertWebhook = z.infer<typeof webhookSchema>;
