import { expect, test } from 'bun:test';
import { actions, allScopes } from './index.ts';

/** Published since 6.0: event → reply: scopes (one is enough); then intermediate messages. docs/api.md lists all. */
const wire = `
GET_DIRECTORIES → DIRECTORIES: files
GET_DIRECTORY → DIRECTORY: files
GET_FILES → FILES: files
GET_FILE → FILE: files
VALIDATE_DIRECTORY → DIRECTORY_VALIDATED: admin
GET_DISK_MOUNTS → DISK_MOUNTS: files
GET_HISTORY → HISTORY: read
GET_SETTINGS → SETTINGS_RESULT: command admin
UPDATE_SETTINGS → SETTINGS_UPDATED: admin
COMMAND_EXECUTE → COMMAND_COMPLETED: command; COMMAND_EXECUTING COMMAND_OUTPUT
CONTROL_PAUSE → CONTROL_PAUSED: admin
CONTROL_RESUME → CONTROL_RESUMED: admin
GET_CONTROL → CONTROL: read admin
EXIT_APPLICATION → APPLICATION_EXITING: admin
POWER_SLEEP → POWER_SLEEPING: power
POWER_HIBERNATE → POWER_HIBERNATING: power
POWER_RESTART → POWER_RESTARTING: power
POWER_SHUTDOWN → POWER_SHUTTINGDOWN: power
POWER_LOCK → POWER_LOCKING: control power
POWER_LOGOUT → POWER_LOGGINGOUT: power
POWER_CANCEL → POWER_CANCELLED: power control
GET_POWER_PENDING → POWER_PENDING: read power control
GET_PROCESS → PROCESS: read command admin
PROCESS_SIGNAL → PROCESS_SIGNALLED: processes
OPEN → OPENED: control
NOTIFICATION → NOTIFICATION_SENT: notify; NOTIFICATION_ACTION
NOTIFICATION_CLOSE → NOTIFICATION_CLOSED: notify
MEDIA_CONTROL → MEDIA_CONTROLLED: media
AUDIO_CONTROL → AUDIO_CONTROLLED: media
KEYBOARD_KEYPRESS → KEYBOARD_KEY_PRESSED: input
KEYBOARD_TEXT → KEYBOARD_TEXT_SENT: input
KEYBOARD_CANCEL → KEYBOARD_CANCELLED: input
CHAT_CONTROL → CHAT_CONTROLLED: chat
DISCORD_CONTROL → DISCORD_CONTROLLED: chat
`;

test('published events, replies and scopes are unchanged', () => {
  const lines = actions.flatMap(({ wire: { event, reply, aliases = [], notifications = [] }, scopes }) => {
    const rest = [scopes.join(' '), ...(notifications.length === 0 ? [] : [notifications.join(' ')])].join('; ');
    return [{ event, reply }, ...aliases].map((names) => `${names.event} → ${names.reply}: ${rest}`);
  });
  expect(
    wire
      .trim()
      .split('\n')
      .filter((line) => !lines.includes(line)),
  ).toEqual([]);
});

test('names have one form and are unique', () => {
  const names = actions.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z]+(\.[a-z]+)+$/.test(name))).toEqual([]);
  const events = actions.flatMap(({ wire: { event, aliases = [] } }) => [
    event,
    ...aliases.map((alias) => alias.event),
  ]);
  for (const list of [names, events]) expect(list).toEqual([...new Set(list)]);
});

test.each(actions.map((action) => [action.name, action] as const))(
  'the action %s has a description, scopes and schemas',
  async (_name, action) => {
    expect(action.description).toMatch(/^[A-Z][^.]+[^.]$/);
    expect(action.scopes.length).toBeGreaterThan(0);
    expect(action.scopes.filter((scope) => !allScopes.includes(scope))).toEqual([]);
    const [input, output] = [await action.input(), await action.output()];
    // Every schema must be convertible to JSON Schema for documents and agents.
    expect(input.toJSONSchema({ io: 'input' })).toHaveProperty('type', 'object');
    expect(output.toJSONSchema()).toBeObject();
    // Each refuses input that is not an object, with a sentence.
    for (const bad of [[], 'text', 7, true]) expect(input.safeParse(bad).success).toBeFalse();
  },
);

test.each(actions.map((action) => [action.name, action] as const))(
  'the action %s accepts its own example',
  async (_name, action) => {
    expect((await action.input()).safeParse(action.example).error).toBeUndefined();
  },
);
