import type { ActionDefinition } from '../core/action.ts';
import type { ActionCommand, CommandContext, FieldHint } from '../core/command.ts';
import { parse } from '../core/json/parse.ts';
import { fieldsIn, formsOf, type JsonSchema } from '../core/json/schema-walk.ts';
import { parseSpan } from '../lib/durations.ts';
import { plain } from '../lib/text-table.ts';
import { inputSchemaOf } from './do/do.input.ts';
import { UsageError } from './exit.ts';

/** An argument or option as it was typed; `true` is a switch. */
export interface TypedValue {
  /** `percent` of `<percent>`, `display` of `--display <id>`. */
  name: string;
  /** Its name in sentences: `--display`; null for an argument. */
  flag: string | null;
  /** `seconds` of `--delay <seconds>`; null for an argument and a switch. */
  placeholder: string | null;
  value: string | readonly string[] | true;
}

/** Calls an action with the typed input, and prints the result. */
export async function runActionCommand(
  context: CommandContext,
  action: ActionDefinition,
  command: ActionCommand,
  typed: readonly TypedValue[],
): Promise<void> {
  const given = { ...command.input, ...(await fieldsFrom(action, command, typed)) };
  const input = command.complete === undefined ? given : await (await command.complete())(context, given);
  // Without input there is nothing to check, and the schemas need not be loaded.
  if (typed.length > 0) parse(await action.input(), input, action.name);
  const done = await context.call(action.name, input);
  const { show } = command;
  if (show === undefined) return await context.answer(done, plain(done.message));
  await context.answer(done.data, async () => void (await (await show())(context, done.data)));
}

async function fieldsFrom(
  action: ActionDefinition,
  { fields = {}, switches = {} }: ActionCommand,
  typed: readonly TypedValue[],
): Promise<Record<string, unknown>> {
  if (typed.length === 0) return {};
  const schemas = fieldsIn(await inputSchemaOf(action));
  const renamed = Object.assign({}, ...typed.map(({ name }) => switches[name] ?? {}));
  const entries = typed
    .filter(({ name }) => switches[name] === undefined)
    .map((word) => {
      const hint = fields[word.name] ?? {};
      const field: string = renamed[word.name] ?? hint.field ?? word.name;
      return [field, toValue(word, hint, schemas[field] ?? {})];
    });
  return Object.fromEntries(entries);
}

function toValue(word: TypedValue, hint: FieldHint, schema: JsonSchema): unknown {
  const { value } = word;
  if (value === true) return true;
  const forms = formsOf(schema);
  const types = forms.map(({ type }) => type);
  if (typeof value !== 'string') return types.includes('string') ? value.join(',') : [...value];
  if (hint.as === 'span') return secondsOf(word, value);
  if (types.includes('string')) return value;
  if (types.includes('boolean')) return booleans[value] ?? value;
  const number = forms.find(({ type }) => type === 'number' || type === 'integer');
  return number === undefined ? value : numberOf(word, hint, value, number);
}

const booleans: Record<string, boolean> = { on: true, true: true, off: false, false: false };

function secondsOf({ flag }: TypedValue, text: string): number {
  const ms = parseSpan(text);
  if (ms !== null && ms >= 1000) return ms / 1000;
  throw new UsageError(`${flag} must be a span such as 30m, 1h or 7d, but it is ${JSON.stringify(text)}`);
}

function numberOf(word: TypedValue, hint: FieldHint, text: string, schema: JsonSchema): number {
  const digits = hint.as === 'percent' ? text.replace(/\s*%$/, '') : text;
  const form = schema.type === 'integer' ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,9})?$/;
  const [least, most] = [Number(schema.minimum ?? -Infinity), Number(schema.maximum ?? Infinity)];
  const value = Number(digits);
  if (form.test(digits) && value >= least && value <= most) return value;
  const kind = kindOf(schema.type === 'integer', word.placeholder, least, most);
  const subject = word.flag ?? (hint.label === undefined ? null : `The ${hint.label}`);
  const shown = JSON.stringify(text);
  throw new UsageError(subject === null ? `${shown} is not ${kind}` : `${subject} must be ${kind}, but it is ${shown}`);
}

/** "a number of seconds from 0 to 3600" */
function kindOf(isWhole: boolean, placeholder: string | null, least: number, most: number): string {
  const unit = placeholder === 'seconds' ? ' of seconds' : '';
  const range = Number.isFinite(least) && Number.isFinite(most) ? ` from ${least} to ${most}` : '';
  return `a ${isWhole ? 'whole ' : ''}number${unit}${range}`;
}
