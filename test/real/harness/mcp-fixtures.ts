import { acceptedContent, type InputRequest, type InputRequired } from '@hostler/mcp/input-required.ts';
import { codes, McpError, type Params } from '@hostler/mcp/messages.ts';
import type { McpRequest, McpServer, Method } from '@hostler/mcp/server.ts';
import { isNewer, metaKeys } from '@hostler/mcp/versions.ts';
import { hmacSha256, isSame } from '../../../src/lib/digest.ts';
import type { Followed } from '../../../src/transports/mcp/server.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): Params => ({ content: [{ type: 'text', text: words }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

/** The suite checks that a state is sealed. */
const key = Buffer.from('the suite only wants to see that it is sealed');
const seal = (state: string) => `${state}.${hmacSha256(key, state).toString('base64url')}`;
function openState(sealed: string): string {
  const [state = ''] = sealed.split('.');
  if (isSame(Buffer.from(sealed), Buffer.from(seal(state)))) return state;
  throw new Error('It is not sealed');
}

const ask = (message: string, field: string, type = 'string'): InputRequest => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
    mode: 'form',
  },
});
const sample = (words: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens },
});
const roots: InputRequest = { method: 'roots/list' };
const needs = (inputRequests: Record<string, InputRequest>, state?: string): InputRequired => ({
  resultType: 'input_required',
  inputRequests,
  ...(state === undefined ? {} : { requestState: seal(state) }),
});

/** The tools, resources and prompts that the conformance suite requires from every server. */
export function fixtureServer(followed: Followed | null, toolsChanged: () => void): McpServer {
  let level = 'debug';
  const log = ({ version, meta, notify }: McpRequest, data: string) => {
    const least = isNewer(version) ? meta[metaKeys.logLevel] : level;
    if (levels.indexOf(String(least)) <= levels.indexOf('info') && least !== undefined)
      notify('notifications/message', { level: 'info', data });
  };
  const tools = new Map<string, Method>([...plainTools(log, toolsChanged), ...inputTools, ...olderInputTools]);
  const methods = new Map<string, Method>([
    ['tools/list', () => ({ tools: [...tools.keys()].map(listed) })],
    ['tools/call', (params, request) => named(tools, params.name, 'tool')(argumentsOf(params), request)],
    ...resourceMethods,
    ...promptMethods,
    [
      'logging/setLevel',
      (params) => {
        level = String(params.level);
        return {};
      },
    ],
  ]);
  if (followed !== null) {
    methods.set('resources/subscribe', ({ uri }) => {
      followed.follow(String(uri));
      return {};
    });
    methods.set('resources/unsubscribe', ({ uri }) => {
      followed.unfollow(String(uri));
      return {};
    });
  }
  return {
    info: { name: 'fixtures', version: '1.0.0' },
    capabilities: {
      logging: {},
      resources: { subscribe: true },
      tools: { listChanged: true },
      prompts: {},
      completions: {},
    },
    instructions: () => '',
    methods,
    openState,
    failed: (_method, error) => console.error(error),
  };
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const listed = (name: string) => ({ name, description: `${name} of the suite`, inputSchema: { type: 'object' } });

const argumentsOf = (params: Params): Params =>
  typeof params.arguments === 'object' && params.arguments !== null ? { ...params.arguments } : {};

function named<T>(all: ReadonlyMap<string, T>, name: unknown, kind: string): T {
  const found = all.get(String(name));
  if (found === undefined) throw new McpError(codes.invalidParams, `${kind} ${name} not found`);
  return found;
}

type Entries = [name: string, run: Method][];

const plainTools = (log: (request: McpRequest, data: string) => void, toolsChanged: () => void): Entries => [
  ['test_simple_text', () => text('This is a simple text response for testing.')],
  ['test_image_content', () => ({ content: [image] })],
  ['test_audio_content', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] })],
  ['test_embedded_resource', () => ({ content: [embedded] })],
  [
    'test_multiple_content_types',
    () => ({ content: [{ type: 'text', text: 'Multiple content types test:' }, image, mixed] }),
  ],
  ['test_error_handling', () => ({ ...text('This tool intentionally returns an error for testing'), isError: true })],
  [
    'test_tool_with_logging',
    async (_given, request) => {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        log(request, words);
        await pause();
      }
      return text('Done with logging');
    },
  ],
  [
    'test_logging_tool',
    (_given, request) => {
      log(request, 'unsolicited');
      return text('Done');
    },
  ],
  [
    'test_tool_with_progress',
    async (_given, { meta: { progressToken }, notify }) => {
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) notify('notifications/progress', { progressToken, progress, total: 100 });
        await pause();
      }
      return text('Done with progress');
    },
  ],
  [
    'test_trigger_tool_change',
    () => {
      toolsChanged();
      return text('Changed');
    },
  ],
];

const image = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = {
  type: 'resource',
  resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
};
const mixed = {
  type: 'resource',
  resource: {
    uri: 'test://mixed-content-resource',
    mimeType: 'application/json',
    text: '{"test":"data","value":123}',
  },
};

const inputTools: Entries = [
  ['test_missing_capability', () => needs({ needed: sample('Anything', 10) })],
  ['test_streaming_elicitation', () => needs({ name: ask('Your name?', 'name') })],
  [
    'test_input_required_result_elicitation',
    (_given, { responses }) => {
      const name = acceptedContent(responses.user_name)?.name;
      return typeof name === 'string'
        ? text(`Hello, ${name}!`)
        : needs({ user_name: ask('What is your name?', 'name') });
    },
  ],
  [
    'test_input_required_result_sampling',
    (_given, { responses: { capital_question: answer } }) =>
      answer === undefined
        ? needs({ capital_question: sample('What is the capital of France?', 100) })
        : text(JSON.stringify(answer)),
  ],
  [
    'test_input_required_result_list_roots',
    (_given, { responses: { client_roots: answer } }) =>
      answer === undefined ? needs({ client_roots: roots }) : text(JSON.stringify(answer.roots)),
  ],
  ...['test_input_required_result_request_state', 'test_input_required_result_tampered_state'].map(
    (name): [string, Method] => [
      name,
      (_given, { state }) =>
        state === undefined
          ? needs({ confirm: ask('Please confirm', 'ok', 'boolean') }, 'confirming')
          : text('state-ok'),
    ],
  ),
  [
    'test_input_required_result_multiple_inputs',
    (_given, { state }) =>
      state === undefined
        ? needs(
            {
              user_name: ask('What is your name?', 'name'),
              greeting: sample('Generate a greeting', 50),
              client_roots: roots,
            },
            'all',
          )
        : text('All there'),
  ],
  [
    'test_input_required_result_multi_round',
    (_given, { state }) => {
      if (state === 'two') return text('Done');
      return state === undefined
        ? needs({ step1: ask('Step 1: What is your name?', 'name') }, 'one')
        : needs({ step2: ask('Step 2: What is your favorite color?', 'color') }, 'two');
    },
  ],
  [
    'test_input_required_result_capabilities',
    (_given, { client: { capabilities } }) =>
      needs(
        {
          ...(capabilities.elicitation === undefined ? {} : { name: ask('What is your name?', 'name') }),
          ...(capabilities.sampling === undefined ? {} : { greeting: sample('Generate a greeting', 50) }),
        },
        'asked',
      ),
  ],
];

const asking = (name: string, message: string, properties: Params, required?: string[]): [string, Method] => [
  name,
  async (given, request) => {
    const { action, content } = await request.ask('elicitation/create', {
      mode: 'form',
      message: given.message ?? message,
      requestedSchema: { type: 'object', properties, ...(required === undefined ? {} : { required }) },
    });
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  },
];
const options = ['option1', 'option2', 'option3'];
const titled = (word: string) => [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${word} ${n}` }));

/** Server requests of the older protocol are sent while the call is open. */
const olderInputTools: Entries = [
  [
    'test_sampling',
    async ({ prompt }, request) => {
      const { content } = await request.ask('sampling/createMessage', sample(String(prompt), 100).params);
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
  ],
  asking(
    'test_elicitation',
    '',
    {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    ['username', 'email'],
  ),
  asking('test_elicitation_sep1034_defaults', 'All of these have defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  asking('test_elicitation_sep1330_enums', 'Choose', {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  }),
];

const resources: Record<string, Params> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched' },
};

const resourceMethods: Entries = [
  [
    'resources/list',
    () => ({
      resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri.slice(7), mimeType })),
    }),
  ],
  [
    'resources/templates/list',
    () => ({
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
    }),
  ],
  [
    'resources/read',
    (params) => {
      const uri = String(params.uri);
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
      const made = {
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      };
      const found = id === undefined ? resources[uri] : made;
      if (found === undefined) throw new McpError(codes.invalidParams, `Resource not found: ${uri}`, { uri });
      return { contents: [{ uri, ...found }] };
    },
  ],
];

const user = (words: string) => ({ role: 'user', content: { type: 'text', text: words } });
const prompts = new Map<string, Method>([
  ['test_simple_prompt', () => ({ messages: [user('This is a simple prompt for testing.')] })],
  [
    'test_prompt_with_arguments',
    ({ arg1, arg2 }) => ({ messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  ],
  [
    'test_prompt_with_embedded_resource',
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        user('Please process the embedded resource above.'),
      ],
    }),
  ],
  [
    'test_prompt_with_image',
    () => ({ messages: [{ role: 'user', content: image }, user('Please analyze the image above.')] }),
  ],
  [
    'test_input_required_result_prompt',
    (_given, { responses }) => {
      const context = acceptedContent(responses.user_context)?.context;
      return typeof context === 'string'
        ? { messages: [user(context)] }
        : needs({ user_context: ask('What context should the prompt use?', 'context') });
    },
  ],
]);
const promptArguments: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

const promptMethods: Entries = [
  [
    'prompts/list',
    () => ({
      prompts: [...prompts.keys()].map((name) => ({
        name,
        description: `${name} of the suite`,
        arguments: (promptArguments[name] ?? []).map((each) => ({ name: each, required: true })),
      })),
    }),
  ],
  ['prompts/get', (params, request) => named(prompts, params.name, 'prompt')(argumentsOf(params), request)],
  ['completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } })],
];
