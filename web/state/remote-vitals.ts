/** A few values of another machine; null: unknown. */
export interface Vitals {
  cpu: { usage: number | null; temperature: number | null; load: number | null };
  memory: { percent: number | null; used: number | null; total: number | null };
  system: { hostname: string; uptime: number | null };
}

/** Payloads of modules there, which may be of another version, or anything else. */
export function vitalsIn(cpu: unknown, memory: unknown, system: unknown): Vitals {
  const virtual = fieldOf(memory, 'virtual');
  const hostname = fieldOf(system, 'hostname');
  return {
    cpu: {
      usage: numberOf(cpu, 'usage'),
      temperature: numberOf(cpu, 'temperature'),
      load: numberOf(cpu, 'load_average'),
    },
    memory: {
      percent: numberOf(virtual, 'percent'),
      used: numberOf(virtual, 'used'),
      total: numberOf(virtual, 'total'),
    },
    system: { hostname: typeof hostname === 'string' ? hostname : '', uptime: numberOf(system, 'uptime') },
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function numberOf(value: unknown, name: string): number | null {
  const field = fieldOf(value, name);
  return typeof field === 'number' ? field : null;
}
