import type { ActionContext } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';

export interface NamedDisplay {
  id: string;
  name: string;
  x: number;
  y: number;
}

/** The requested display, or all. Refuses one that is not connected. */
export async function displaysMeant(
  { read }: Pick<ActionContext, 'read'>,
  wanted: string | null | undefined,
): Promise<{ displays: string[]; all: boolean; known: NamedDisplay[] }> {
  const { payload, reasons } = await read('displays');
  const known = (Array.isArray(payload) ? payload : []).map(
    ({ id, name = id, x = 0, y = 0 }: Partial<NamedDisplay> & { id: string }) => ({ id, name, x, y }),
  );
  const ids = known.map(({ id }) => id);
  if (ids.length === 0)
    throw new ServiceError(
      'not_found',
      `There is no display. ${reasons.find(({ field }) => field === null)?.reason ?? ''}`.trim(),
    );
  if (wanted === null || wanted === undefined) return { displays: ids, all: true, known };
  if (ids.includes(wanted)) return { displays: [wanted], all: ids.length === 1, known };
  throw new ServiceError('not_found', `There is no display ${JSON.stringify(wanted)}; connected: ${ids.join(', ')}`);
}
