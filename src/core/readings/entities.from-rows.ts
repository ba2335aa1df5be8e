import { keptFor } from '../../lib/cache-by-object.ts';
import { bytesIn, isUnit, unitRow } from '../../lib/units.ts';
import { type EarlierPayload, type EntityState, type EntityValue, rateOf, roundedTo, uniqueKeys } from './entities.ts';
import { type EntityUse, isGroup, type ReadingUnit, type Row, type RowGroup, type RowValue } from './rows.ts';

/** The entities of a table, in its order. */
export function entitiesFrom<T>(
  rows: readonly (Row<T> | RowGroup<T>)[],
  payload: T,
  before: EarlierPayload<T> | null,
): EntityState[] {
  return rows.flatMap((row) => {
    if (isGroup(row)) return entriesOf(row, payload, before);
    const earlier = before === null || row.kind !== 'counter' ? undefined : row.value?.(before.payload);
    return entityOf(row, payload, { key: '', title: '' }, earlier, before?.seconds ?? 0);
  });
}

function entriesOf<T>(
  { rows, list, naming }: RowGroup<T>,
  payload: T,
  before: EarlierPayload<T> | null,
): EntityState[] {
  const withEntity = rows.filter(({ entity }) => entity !== undefined);
  if (withEntity.length === 0) return [];
  const { key = () => '', title = key, hasEntities = () => true, shown } = naming;
  const hasRates = before !== null && withEntity.some(({ kind }) => kind === 'counter');
  const past = new Map(hasRates ? list(before.payload).map((entry) => [key(entry), entry]) : []);
  return uniqueKeys(list(payload).filter(hasEntities), key).flatMap(([own, entry], index) =>
    withEntity
      .flatMap((row) => {
        const then = past.get(key(entry));
        const earlier = then === undefined || row.kind !== 'counter' ? undefined : row.value?.(then);
        return entityOf(row, entry, { key: own, title: title(entry) }, earlier, before?.seconds ?? 0);
      })
      .map((state) => (shown === undefined ? state : { ...state, isOff: index >= shown })),
  );
}

function entityOf<P>(
  row: Row<P>,
  entry: P,
  words: { key: string; title: string },
  earlier: RowValue,
  seconds: number,
): EntityState[] {
  if (row.entity === undefined) return [];
  const use: EntityUse<P> = row.entity === true ? {} : row.entity;
  const found = row.value?.(entry);
  if (found === undefined) return [];
  const isRate = row.kind === 'counter';
  const value = isRate ? rateOf(numberOr(found), numberOr(earlier), seconds) : found;
  const attributes = use.attributes?.(entry);
  const { shown, fixed } = fixedOf(row);
  return [
    {
      key: (row.id ?? '').replace('{key}', () => words.key),
      component: use.component ?? (typeof found === 'boolean' || isBinary(use) ? 'binary_sensor' : 'sensor'),
      name: (row.name ?? '').replace('{title}', () => words.title),
      value: shown.value(value),
      ...fixed,
      ...(attributes && { attributes }),
    },
  ];
}

/** What is the same in every reading. */
const fixedOf = keptFor(({ unit = 'none', entity }: Pick<Row<never>, 'unit' | 'entity'>) => {
  const use = entity === undefined || entity === true ? {} : entity;
  const { component: _component, unit: _unit, digits: _digits, attributes: _attributes, ...described } = use;
  const shown = shownAs(unit, use);
  return { shown, fixed: { ...shown.description, ...described } };
});

const numberOr = (value: RowValue) => (typeof value === 'number' ? value : null);

/** Classes that only binary sensors have: their unknown values are not numbers. */
const binaryClasses = new Set([
  'problem',
  'connectivity',
  'battery_charging',
  'running',
  'lock',
  'occupancy',
  'light',
  'sound',
  'plug',
]);
const isBinary = ({ deviceClass }: EntityUse<unknown>) => binaryClasses.has(deviceClass ?? '');

interface Shown {
  value(found: RowValue): EntityValue;
  description: { unit?: string; deviceClass?: string };
}

/** A value in the unit that home automation shows. */
function shownAs(unit: ReadingUnit, { unit: wanted, digits }: Pick<EntityUse<never>, 'unit' | 'digits'>): Shown {
  const size = isSize(wanted) ? bytesIn[wanted] : undefined;
  const row = isUnit(unit) ? unitRow(unit) : undefined;
  const usual = row?.entity;
  const convert = (found: RowValue): EntityValue => {
    if (typeof found !== 'number') return found ?? null;
    const places = digits ?? (size === undefined ? usual?.digits : wanted?.endsWith('/s') ? 3 : 2);
    const value = size === undefined ? found : found / size;
    return places === undefined ? value : roundedTo(value, places);
  };
  if (size !== undefined && wanted !== undefined)
    return {
      value: convert,
      description: { unit: wanted, deviceClass: wanted.endsWith('/s') ? 'data_rate' : 'data_size' },
    };
  const own = wanted ?? (usual && row?.symbol);
  return {
    value: convert,
    description: {
      ...(own !== undefined && { unit: own }),
      ...(usual?.deviceClass !== undefined && { deviceClass: usual.deviceClass }),
    },
  };
}

const isSize = (unit: string | undefined): unit is keyof typeof bytesIn =>
  unit !== undefined && Object.hasOwn(bytesIn, unit);
