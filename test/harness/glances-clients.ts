import { z } from 'zod';

/**
 * What two dashboards read from the API of Glances: Homepage 1.12 (src/widgets/glances and src/components/widgets/glances) and Homarr at
 * 2026-08 (packages/integrations/src/glances). Facts written down from their sources: a name here is a field that they access.
 */

const number = z.number();
const positive = number.nonnegative();
const text = z.string().min(1);
const percent = number.min(0).max(100);
/** Python's notation of a time span, which both take apart. */
const span = z.string().regex(/^(?:\d+ days?, )?\d+:\d\d:\d\d$/);

/** An entry that Homepage finds by the field that `key` names. Its settings name the entry after a colon, so it contains none. */
const keyed = (key: string, fields: z.ZodRawShape) =>
  z.array(z.object({ key: z.literal(key), [key]: z.union([number, text.regex(/^[^:]+$/)]), ...fields }));

/** The letters for which it has icons, and those of ps for which it shows none. */
const letter = z.enum([...'RSDZTtX', ...'IKWP?']);

export function homepageReads(version: 3 | 4): Record<string, z.ZodType> {
  const counter = (four: string, three: string) => ({ [version === 4 ? four : three]: positive });
  const memoryInfo = version === 4 ? z.object({ rss: positive.nullable() }) : z.array(positive.nullable()).length(1);
  // Empty where the engine does not say it.
  const memory = z.union([z.object({ usage: number, inactive_file: number }), z.strictObject({})]);
  const container = { name: text, cpu_percent: number, memory };
  return {
    quicklook: z.object({
      cpu_name: text,
      cpu: percent,
      mem: percent,
      swap: percent,
      percpu: z.array(z.object({ total: percent })),
    }),
    system: z.object({ linux_distro: text, os_version: text, hostname: text }),
    cpu: z.object({ total: percent }),
    load: z.object({ min15: positive }),
    mem: z.object({ used: positive, available: positive, total: positive, percent }),
    uptime: span,
    processlist: z.array(
      z.object({ pid: number, name: text, status: letter, cpu_percent: number, memory_info: memoryInfo }),
    ),
    // With version 3 it expects a list, which Glances 3 never answers.
    ...(version === 4 ? { containers: z.array(z.object({ id: text, status: text, ...container })) } : {}),
    network: keyed('interface_name', {
      ...counter('bytes_recv', 'rx'),
      ...counter('bytes_sent', 'tx'),
      time_since_update: number.positive(),
    }),
    diskio: keyed('disk_name', { read_bytes: positive, write_bytes: positive, time_since_update: number.positive() }),
    fs: z.array(
      z.object({
        key: z.literal('mnt_point'),
        mnt_point: text,
        size: positive,
        used: positive,
        free: positive,
        percent,
      }),
    ),
    gpu: keyed('gpu_id', {
      name: text,
      mem: percent.nullable(),
      proc: percent.nullable(),
      temperature: number.nullable(),
    }),
    sensors: keyed('label', {
      type: text,
      value: number,
      unit: text,
      warning: number.nullable(),
      critical: number.nullable(),
    }),
  };
}

export const homarrReads: Record<string, z.ZodType> = {
  status: z.object({ version: text }),
  version: text,
  all: z.object({
    cpu: z.object({ total: percent }),
    mem: z.object({ total: positive, used: positive, free: positive }),
    network: z.array(z.object({ bytes_sent_rate_per_sec: positive, bytes_recv_rate_per_sec: positive })),
    fs: z.array(z.object({ device_name: z.string(), used: positive, free: positive, percent })),
    uptime: span,
    quicklook: z.object({ cpu_name: z.string() }),
    gpu: z.array(
      z.object({
        gpu_id: z.string(),
        name: z.string(),
        mem: number.nullable(),
        proc: number.nullable(),
        temperature: number.nullable(),
        fan_speed: number.nullable(),
      }),
    ),
  }),
  sensors: z.array(z.object({ label: z.string(), value: number, type: z.string() })),
};
