import type { Reading } from '../../core/reading.ts';
import type { Reason } from '../../core/reasons.ts';
import { defineTool, type ToolContext } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { valuesAt, whereItBreaks } from '../../lib/field-path.ts';
import { whyNull } from '../why-null.ts';
import type { WaitForInput, WaitForOutput } from './wait-for.schema.ts';

export const waitFor = defineTool<WaitForInput, WaitForOutput>({
  name: 'wait_for',
  title: 'Wait for a value',
  description: 'Waits until a field of a module meets a condition.',
  input: async (modules) => (await import('./wait-for.schema.ts')).waitForInputSchema(modules),
  output: async () => (await import('./wait-for.schema.ts')).waitForOutputSchema,
  scopes: ['read'],
  async run(input, context) {
    const first = await context.read(input.module);
    refuseUnknown(input, first.payload);
    const answer = judge(input, first);
    return answer.met ? { ...answer, waited_s: 0 } : await watch(input, context, answer);
  },
});

type Verdict = Omit<WaitForOutput, 'waited_s'>;

const progressEveryMs = 5000;

function watch(input: WaitForInput, context: ToolContext, first: Verdict): Promise<WaitForOutput> {
  const { module, timeout_seconds } = input;
  const began = context.now();
  const waited = () => Math.max(0, Math.round((context.now() - began) / 100) / 10);
  return new Promise((resolve, reject) => {
    let last = first;
    let cancelProgress = () => {};
    const finish = (settle: () => void) => {
      stopListening();
      cancelTimeout();
      cancelProgress();
      context.signal.removeEventListener('abort', abandon);
      settle();
    };
    const abandon = () => finish(() => reject(new ServiceError('conflict', 'The wait was cancelled')));
    const tellProgress = () => {
      context.progress(waited(), timeout_seconds, `${module} is being watched`);
      cancelProgress = context.after(progressEveryMs, tellProgress);
    };
    const stopListening = context.listen(module, (reading) => {
      last = judge(input, reading);
      if (last.met) finish(() => resolve({ ...last, waited_s: waited() }));
    });
    const cancelTimeout = context.after(timeout_seconds * 1000, () =>
      finish(() => resolve({ ...last, waited_s: waited() })),
    );
    context.signal.addEventListener('abort', abandon);
    if (context.signal.aborted) abandon();
    else tellProgress();
  });
}

function judge({ field, op, value }: WaitForInput, { payload, reasons }: Reading): Verdict {
  const values = valuesAt(payload, field);
  const index = values.findIndex((candidate) => meets(candidate, op, value));
  const seen = (index === -1 ? values[0] : values[index]) ?? null;
  return { met: index !== -1, value: seen, ...whyNull({ value: seen }, renamedTo('value', field, reasons)) };
}

/** An agent may write `cores.usage` where a reason says `cores[].usage`. */
function renamedTo(name: string, field: string, reasons: readonly Reason[]) {
  const plain = (path: string) => path.replaceAll('[]', '').replace(/^\./, '');
  const asked = plain(field).replace(/\.\d+(?=\.|$)/g, '');
  return reasons
    .filter((each) => each.field === null || `${asked}.`.startsWith(`${plain(each.field)}.`))
    .map(({ reason }) => ({ field: name, reason }));
}

function meets(candidate: unknown, op: WaitForInput['op'], value: WaitForInput['value']): boolean {
  if (op === 'eq') return candidate === value;
  if (op === 'ne') return candidate !== value;
  if (op === 'contains')
    return typeof candidate === 'string' && candidate.toLowerCase().includes(String(value).toLowerCase());
  if (typeof candidate !== 'number' || typeof value !== 'number') return false;
  return comparisons[op](candidate, value);
}

const comparisons: Record<'lt' | 'le' | 'gt' | 'ge', (a: number, b: number) => boolean> = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

function refuseUnknown({ module, field, op, value }: WaitForInput, payload: unknown): void {
  const broken = whereItBreaks(payload, field);
  if (broken !== null) {
    const known = broken.known.length === 0 ? 'nothing is below it' : `available: ${broken.known.join(', ')}`;
    throw new ServiceError('invalid', `${module} has no field ${JSON.stringify(field)}; ${known}`);
  }
  if (op in comparisons && typeof value !== 'number')
    throw new ServiceError('invalid', `value must be a number for ${op}; texts are compared by eq, ne and contains`);
}
