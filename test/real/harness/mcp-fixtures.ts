import {
  acceptedContent,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Followed } from '../../../src/transports/mcp/server.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

const codec = createRequestStateCodec<string>({ key: 'the suite only wants to see that it is sealed' });

const ask = (message: string, field: string, kind: 'text' | 'yes or no' = 'text') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: kind === 'text' ? { type: 'string' } : { type: 'boolean' } },
      required: [field],
    },
  });
const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens,
  });

/** The tools, resources and prompts that the conformance suite requires from every server. */
export function fixtureServer(followed: Followed | null, toolsChanged: () => void): McpServer {
  const server = new McpServer(
    { name: 'fixtures', version: '1.0.0' },
    {
      capabilities: { logging: {}, resources: { subscribe: true }, tools: { listChanged: true } },
      requestState: { verify: codec.verify },
    },
  );
  addTools(server, toolsChanged);
  addInputRequests(server);
  addOlderInputRequests(server);
  addResources(server);
  addPrompts(server);
  if (followed !== null) {
    server.server.setRequestHandler('resources/subscribe', ({ params }) => {
      followed.follow(params.uri);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      followed.unfollow(params.uri);
      return {};
    });
  }
  return server;
}

function addTools(server: McpServer, toolsChanged: () => void): void {
  const tool = (
    name: string,
    run: (context: ServerContext) => ReturnType<typeof text> | Promise<ReturnType<typeof text>>,
  ) => server.registerTool(name, { description: `${name} of the suite` }, run);
  const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
  tool('test_simple_text', () => text('This is a simple text response for testing.'));
  server.registerTool('test_image_content', { description: 'An image' }, () => ({ content: [image] }));
  server.registerTool('test_audio_content', { description: 'A sound' }, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description: 'A resource' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.registerTool('test_multiple_content_types', { description: 'All kinds' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_logging', async ({ mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await pause();
    await mcpReq.log('info', 'Tool processing data');
    await pause();
    await mcpReq.log('info', 'Tool execution completed');
    return text('Done with logging');
  });
  tool('test_logging_tool', async ({ mcpReq }) => {
    await mcpReq.log('info', 'unsolicited');
    return text('Done');
  });
  tool('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause();
    }
    return text('Done with progress');
  });
  tool('test_trigger_tool_change', () => {
    toolsChanged();
    return text('Changed');
  });
}

function addInputRequests(server: McpServer): void {
  const tool = (
    name: string,
    run: (context: ServerContext) => Promise<ReturnType<typeof text> | ReturnType<typeof inputRequired>>,
  ) => server.registerTool(name, { description: `${name} of the suite` }, run);
  tool('test_missing_capability', async () => inputRequired({ inputRequests: { needed: sample('Anything', 10) } }));
  tool('test_streaming_elicitation', async () => inputRequired({ inputRequests: { name: ask('Your name?', 'name') } }));
  tool('test_input_required_result_elicitation', async ({ mcpReq }) => {
    const { name } = acceptedContent<{ name?: unknown }>(mcpReq.inputResponses, 'user_name') ?? {};
    return typeof name === 'string'
      ? text(`Hello, ${name}!`)
      : inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } });
  });
  tool('test_input_required_result_sampling', async ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question');
    return answer.kind === 'sampling'
      ? text(JSON.stringify(answer.result))
      : inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } });
  });
  tool('test_input_required_result_list_roots', async ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots');
    return answer.kind === 'roots'
      ? text(JSON.stringify(answer.roots))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, async ({ mcpReq }) =>
      mcpReq.requestState<string>() === undefined
        ? inputRequired({
            inputRequests: { confirm: ask('Please confirm', 'ok', 'yes or no') },
            requestState: await codec.mint('confirming'),
          })
        : text('state-ok'),
    );
  }
  tool('test_input_required_result_multiple_inputs', async ({ mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? inputRequired({
          inputRequests: {
            user_name: ask('What is your name?', 'name'),
            greeting: sample('Generate a greeting', 50),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await codec.mint('all'),
        })
      : text('All there'),
  );
  tool('test_input_required_result_multi_round', async ({ mcpReq }) => {
    const round = mcpReq.requestState<string>();
    if (round === 'two') return text('Done');
    return round === undefined
      ? inputRequired({
          inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
          requestState: await codec.mint('one'),
        })
      : inputRequired({
          inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color') },
          requestState: await codec.mint('two'),
        });
  });
  tool('test_input_required_result_capabilities', async () => {
    const { elicitation, sampling } = server.server.getClientCapabilities() ?? {};
    return inputRequired({
      inputRequests: {
        ...(elicitation === undefined ? {} : { name: ask('What is your name?', 'name') }),
        ...(sampling === undefined ? {} : { greeting: sample('Generate a greeting', 50) }),
      },
      requestState: await codec.mint('asked'),
    });
  });
}

/** Server requests of the older protocol are sent while the call is open. */
function addOlderInputRequests(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const answer = await mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      });
      const content = Array.isArray(answer.content) ? answer.content[0] : answer.content;
      return text(`LLM response: ${content?.type === 'text' ? content.text : ''}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const answer = await mcpReq.elicitInput({
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      });
      return text(`User response: action=${answer.action}, content=${JSON.stringify(answer.content)}`);
    },
  );
  const asking = (name: string, properties: Parameters<ServerContext['mcpReq']['elicitInput']>[0]) =>
    server.registerTool(name, { description: `${name} of the suite` }, async ({ mcpReq }) => {
      const answer = await mcpReq.elicitInput(properties);
      return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`);
    });
  asking('test_elicitation_sep1034_defaults', {
    mode: 'form',
    message: 'All of these have defaults',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
  });
  const options = ['option1', 'option2', 'option3'];
  const titled = (word: string) => [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${word} ${n}` }));
  asking('test_elicitation_sep1330_enums', {
    mode: 'form',
    message: 'Choose',
    requestedSchema: {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled('Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
      },
    },
  });
}

function addResources(server: McpServer): void {
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text', mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image', mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: png }] }),
  );
  server.registerResource(
    'watched',
    'test://watched-resource',
    { description: 'Can be followed', mimeType: 'text/plain' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: 'Watched' }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'By id', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const user = (words: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: words } });
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, () => ({
    messages: [user('This is a simple prompt for testing.')],
  }));
  const cities = completable(z.string(), (begun) =>
    ['paris', 'park', 'party'].filter((word) => word.startsWith(begun)),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: z.object({ arg1: cities, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: z.object({ resourceUri: z.string() }) },
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
  );
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
      user('Please analyze the image above.'),
    ],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, async ({ mcpReq }) => {
    const { context } = acceptedContent<{ context?: unknown }>(mcpReq.inputResponses, 'user_context') ?? {};
    return typeof context === 'string'
      ? { messages: [user(context)] }
      : inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } });
  });
}
