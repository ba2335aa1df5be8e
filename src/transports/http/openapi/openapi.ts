import { z } from 'zod';
import type { ActionDefinition } from '../../../core/action.ts';
import { routeOf } from '../../../core/action-state.ts';
import type { ModuleDefinition } from '../../../core/module.ts';
import type { Service } from '../../../core/service.ts';
import { controlEntitySchema, entityDescriptionsSchema, entityValuesSchema } from '../../entities/entities.schema.ts';
import { mqttStatusSchema } from '../../mqtt/mqtt.schema.ts';
import { createAccessSchemas } from '../access.schema.ts';
import {
  actionResultSchema,
  challengeSchema,
  endSessionSchema,
  errorSchema,
  healthSchema,
  loginSchema,
  moduleStateSchema,
  proofSchema,
  revokeTokenSchema,
  signInHelpSchema,
  statusSchema,
  ticketInputSchema,
  ticketSchema,
} from '../http.schema.ts';
import {
  createPairSchema,
  pairAnswerSchema,
  pairAskedSchema,
  pairBegunSchema,
  pairFetchSchema,
} from '../routes/pair.schema.ts';
import type { Json } from './fields.ts';
import type { OpenApi, OpenApiOperation } from './openapi.document.ts';
import { finishOperations } from './openapi.finish.ts';

export type { OpenApi, OpenApiOperation } from './openapi.document.ts';

/** Every operation with its path and method. */
export function operationsOf(paths: OpenApi['paths']): { path: string; method: string; operation: OpenApiOperation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** The schema of a successful JSON response. */
export function answerOf({ responses }: OpenApiOperation): Json | undefined {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return answer?.content?.['application/json']?.schema;
}

/** https://spec.openapis.org/oas/v3.1.0, made from the same schemas that check the data. */
export async function openApiOf({ version, scopes, modules, actions }: DocumentedService): Promise<OpenApi> {
  const access = createAccessSchemas(scopes);
  const schemas: Record<string, Json> = {
    Error: schemaOf(errorSchema),
    ModuleState: schemaOf(moduleStateSchema),
    ActionState: schemaOf(access.actionStateSchema),
    Token: schemaOf(access.tokenInfoSchema),
    BrowserSession: schemaOf(access.browserSessionSchema),
  };
  for (const module of modules)
    schemas[module.name] = { description: module.description, ...schemaOf(await module.schema()) };
  const reads = actions.flatMap((action) =>
    [action.readAt, action.readBelow].flatMap((path) => (path === undefined ? [] : [readRoute(path, action)])),
  );
  const routes = [
    ...serviceRoutes(),
    ...metricsRoutes(),
    ...modules.map(moduleRoute),
    ...entityRoutes(),
    ...fileRoutes(),
    ...(await Promise.all(reads)),
    ...(await Promise.all(actions.map(actionRoute))),
    ...accessRoutes(access),
    ...pairRoutes(createPairSchema(scopes)),
  ];
  const paths: OpenApi['paths'] = {};
  for (const [path, method, operation] of routes) paths[path] = { ...paths[path], [method]: operation };
  return finishOperations({
    openapi: '3.1.0',
    info: {
      title: 'Hostler',
      version,
      description: 'The machine this service runs on: data modules to read, and actions to take.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/' },
      {
        url: 'https://{address}:{port}',
        description: 'With TLS, where it is switched on',
        variables: { address: { default: '127.0.0.1' }, port: { default: '9171' } },
      },
    ],
    tags: [
      { name: 'service', description: 'Whether it runs, and what it offers' },
      { name: 'data', description: 'The data modules' },
      { name: 'files', description: 'Files of the known directories' },
      { name: 'actions', description: 'Actions to take' },
      { name: 'access', description: 'Tokens, browsers that signed in, and devices that ask for access' },
    ],
    security: [{ token: [] }, { shortToken: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-API-Token' },
        shortToken: { type: 'apiKey', in: 'header', name: 'token' },
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
        queryToken: { type: 'apiKey', in: 'query', name: 'token' },
      },
      schemas,
    },
  });
}

/** What the document of a service describes. */
export type DocumentedService = Pick<Service, 'version' | 'scopes' | 'modules' | 'actions'>;

/** A path, a method and the operation there. */
type Route = [path: string, method: 'get' | 'post' | 'delete', operation: OpenApiOperation];

/** A route as [path, tag, summary, the rest]. */
const routeBy =
  (method: Route[1]) =>
  (path: string, tag: string, summary: string, rest: Omit<OpenApiOperation, 'tags' | 'summary'>): Route => [
    path,
    method,
    { tags: [tag], summary, ...rest },
  ];
const get = routeBy('get');
const post = routeBy('post');
const remove = routeBy('delete');

const readers = { description: 'Scope: read' };
const everyone = { security: [] };
/** Scrapers can only send a password. */
const withBasic = { security: [{ token: [] }, { shortToken: [] }, { bearer: [] }, { basic: [] }] };

function serviceRoutes(): Route[] {
  const listOf = (name: string) => ({
    ...readers,
    parameters: selection,
    responses: { 200: ok({ type: 'array', items: reference(name) }), ...refusals(400, 401, 403) },
  });
  const what = 'The authority behind the certificate of this machine, to be trusted by others';
  return [
    get('/api', 'service', 'Confirm that the API is running', {
      ...everyone,
      responses: { 200: ok(schemaOf(statusSchema)) },
    }),
    get('/api/health', 'service', 'Health and version', {
      ...everyone,
      responses: { 200: ok(schemaOf(healthSchema)) },
    }),
    get('/api/tls/authority.crt', 'service', what, {
      ...everyone,
      responses: {
        200: { description: 'A certificate (PEM)', content: ofTypes('string', 'application/x-x509-ca-cert') },
        501: refusal('This machine has no authority of its own'),
      },
    }),
    get(
      '/api/modules',
      'service',
      'Every module: whether it is available, why fields are null, what reading it costs',
      listOf('ModuleState'),
    ),
    get(
      '/api/actions',
      'service',
      'Every action: whether it would work here, and whether this token may',
      listOf('ActionState'),
    ),
  ];
}

function entityRoutes(): Route[] {
  const answer = (response: OpenApiOperation['responses'][string]) => ({
    responses: { 200: response, ...refusals(400, 401, 403) },
  });
  const entity = controlEntitySchema;
  return [
    get('/api/entities', 'service', 'The machine as entities of home automation', {
      ...readers,
      ...answer(ok(schemaOf(entityDescriptionsSchema))),
    }),
    get('/api/data/entities', 'service', 'The values of all entities', {
      ...readers,
      ...answer(ok(schemaOf(entityValuesSchema))),
    }),
    get('/api/entities/picture', 'service', 'The picture of an image entity', {
      ...readers,
      parameters: [parameter('key', 'Key of the image')],
      ...answer({ description: 'The picture', content: ofTypes('string', 'image/*') }),
    }),
    post('/api/entities/control', 'service', 'Set a control, or press a button', {
      description: 'Scope: read, and that of the control',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(entity), example: { key: 'volume', value: 30 } } },
      },
      responses: { 200: ok(schemaOf(actionResultSchema)), ...refusals(400, 401, 403, 404) },
    }),
  ];
}

function metricsRoutes(): Route[] {
  const targets = {
    type: 'object',
    required: ['targets', 'labels'],
    properties: {
      targets: { type: 'array', items: { type: 'string' } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const broker = 'The connection to the MQTT broker: since when, what is published, what may be controlled';
  const search = 'Hostler services on the network as scrape targets, for HTTP service discovery of Prometheus';
  return [
    get('/api/mqtt', 'service', broker, {
      ...readers,
      responses: { 200: ok(schemaOf(mqttStatusSchema)), ...refusals(401, 403) },
    }),
    get('/metrics', 'service', 'Metrics of the machine as OpenMetrics text, for Prometheus and similar', {
      description:
        'Scope: read. The token may also be the password of HTTP basic authentication, with any user name. `Accept: text/plain` gives the older text format (0.0.4).',
      ...withBasic,
      responses: {
        200: {
          description: 'With the names and labels of node_exporter where it has them; the rest begins with hostler_',
          content: ofTypes('string', 'application/openmetrics-text', 'text/plain'),
        },
        ...refusals(401, 403, 404),
      },
    }),
    get('/api/discovery/prometheus', 'service', search, {
      description:
        'Scope: read. Searches the network for three seconds; what was found is kept for half a minute. The targets are what their senders say about themselves: Prometheus sends each of them the credentials of its job.',
      ...withBasic,
      responses: { 200: ok({ type: 'array', items: targets }), ...refusals(401, 403, 404) },
    }),
    get(
      '/api/4/{plugin}',
      'service',
      'The REST API of Glances 4 for dashboards that read it; /api/3 is that of Glances 3',
      {
        description:
          'Scope: read. Off unless `glances.enabled` is set. The token may also be the password of HTTP basic authentication, with any user name. Single values and entries have longer paths, as in Glances.',
        ...withBasic,
        parameters: [parameter('plugin', 'all, pluginslist, status, or a plugin such as cpu', 'path')],
        responses: { 200: ok({}), ...refusals(400, 401, 403, 404) },
      },
    ),
  ];
}

function moduleRoute({ name, description }: ModuleDefinition): Route {
  return get(`/api/data/${name}`, 'data', description, {
    ...readers,
    parameters: selection,
    responses: {
      200: ok(reference(name)),
      ...refusals(400, 401, 403),
      404: refusal('The module is not available now; the sentence says why'),
    },
  });
}

function fileRoutes(): Route[] {
  return [
    get('/api/media/file/data', 'files', 'Download a file of a known directory', {
      description:
        'Scope: files. Ranges and conditional requests are answered; 100 MB at most. With a ticket of /api/media/file/ticket: ?ticket=… and nothing else',
      security: [{ queryToken: [] }],
      parameters: [
        parameter(
          'base',
          'documents, downloads, home, music, pictures, videos, another user directory, or a name of media.directories in the settings',
        ),
        parameter('path', 'Path of the file below the base'),
        parameter('token', 'A token'),
      ],
      responses: {
        200: { description: 'The file', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
        206: { description: 'The part of the file that was asked for' },
        304: { description: 'Not changed' },
        400: refusal('base, path or token missing; unknown base; not a regular file'),
        401: refusal('The token is not valid'),
        403: refusal('The path leaves the base, may not be read, or has a type that is not served'),
        404: refusal('There is no such file'),
        405: refusal('The method is not GET'),
        413: refusal('The file is larger than 104,857,600 bytes'),
        416: refusal('The range lies outside the file'),
        502: refusal('The file system of the base does not respond, or is not connected'),
      },
    }),
    post('/api/media/file/ticket', 'files', 'Get a ticket for one file, for use in its address instead of a token', {
      description:
        'Scope: files. It is good for 90 seconds, from the same address, and until the token is revoked; sent again as {"ticket"} it is good for longer',
      requestBody: body(ticketInputSchema),
      responses: {
        200: ok(schemaOf(ticketSchema)),
        ...refusals(400, 401, 403),
        404: refusal('The ticket to be renewed has run out'),
      },
    }),
  ];
}

async function actionRoute(action: ActionDefinition): Promise<Route> {
  const { description, scopes, effect, input, output, example, picture } = action;
  const result = z.object({ ...actionResultSchema.shape, data: await output() });
  return post(routeOf(action), 'actions', description, {
    description: `Scope: ${scopes.join(' or ')}`,
    ...(effect === 'read' ? { parameters: selection } : {}),
    requestBody: {
      required: false,
      content: { 'application/json': { schema: schemaOf(await input(), 'input'), example } },
    },
    responses: {
      200: picture === undefined ? ok(schemaOf(result)) : shown(picture.types, schemaOf(result)),
      ...refusals(400, 401, 403, 404),
      409: refusal('Something prevents it; the sentence says what'),
      413: refusal('The body is too large'),
      415: refusal('The body is not JSON'),
      501: refusal('This machine does not support it'),
      502: refusal('The operating system refused the request'),
    },
  });
}

/** An action that only reads, with GET: each input field is a parameter. */
async function readRoute(path: string, { description, scopes, input, output }: ActionDefinition): Promise<Route> {
  const { properties = {}, required = [] } = z.toJSONSchema(await input(), { io: 'input' });
  const fields = Object.entries(properties).map(([name, field]) => ({
    ...parameter(
      name,
      (typeof field === 'object' && field.description) || '',
      path.includes(`{${name}}`) ? 'path' : 'query',
    ),
    required: required.includes(name),
  }));
  return get(path, 'data', description, {
    description: `Scope: ${scopes.join(' or ')}`,
    parameters: [...fields, ...selection],
    responses: { 200: ok(schemaOf(await output())), ...refusals(400, 401, 403) },
  });
}

function accessRoutes({
  usedTokenSchema,
  newTokenSchema,
  createdTokenSchema,
  connectedClientSchema,
  signedInSchema,
}: ReturnType<typeof createAccessSchemas>): Route[] {
  const administrators = { description: 'Scope: admin, on the machine itself' };
  const unchanged = refusals(400, 401, 403);
  const listOf = (items: Json) => ({
    ...administrators,
    parameters: selection,
    responses: { 200: ok({ type: 'array', items }), ...unchanged },
  });
  return [
    get('/api/tokens', 'access', 'List the tokens', listOf(schemaOf(usedTokenSchema))),
    post('/api/tokens', 'access', 'Create a token; its secret is shown once', {
      ...administrators,
      requestBody: body(newTokenSchema),
      responses: { 201: ok(schemaOf(createdTokenSchema)), ...unchanged, 409: refusal('The name is taken') },
    }),
    remove('/api/tokens', 'access', 'Revoke a token', {
      ...administrators,
      requestBody: body(revokeTokenSchema),
      responses: { 200: ok(reference('Token')), ...unchanged, 404: refusal('There is no such token') },
    }),
    get(
      '/api/clients',
      'access',
      'List the clients that are connected, the latest 200',
      listOf(schemaOf(connectedClientSchema)),
    ),
    get('/api/login', 'access', 'Say how to get a token or a one-time code on the machine', {
      ...everyone,
      responses: { 200: ok(schemaOf(signInHelpSchema)) },
    }),
    post('/api/login', 'access', 'Sign a browser in, with a one-time code or with a token in the header', {
      description:
        'A token is needed where there is no code. Codes are for programs of the user whose service this is, on the machine itself: the kernel reports the user at the other end of the connection.',
      security: [{}, { token: [] }, { bearer: [] }],
      requestBody: body(loginSchema),
      responses: { 200: ok(schemaOf(signedInSchema)), ...refusals(400, 401, 403) },
    }),
    post('/api/sessions/challenge', 'access', 'Get something to sign; good once and for a minute', {
      ...everyone,
      responses: { 200: ok(schemaOf(challengeSchema)) },
    }),
    get('/api/sessions', 'access', 'List the browsers that are signed in', listOf(reference('BrowserSession'))),
    post('/api/sessions', 'access', 'Get the next token of a session, for a signed challenge', {
      ...everyone,
      requestBody: body(proofSchema),
      responses: { 200: ok(schemaOf(signedInSchema)), ...refusals(400, 401) },
    }),
    remove('/api/sessions', 'access', 'End the session of a browser', {
      description: 'The own one, or any other with the scope admin on the machine itself',
      requestBody: body(endSessionSchema),
      responses: { 200: ok(reference('BrowserSession')), ...unchanged, 404: refusal('There is no such session') },
    }),
  ];
}

/** For devices that have no token yet; docs/pairing.md says what both sides compute. */
function pairRoutes(pairSchema: z.ZodType): Route[] {
  const ask = (path: string, rest: Omit<OpenApiOperation, 'tags' | 'security'>): Route => [
    path,
    'post',
    { tags: ['access'], ...everyone, ...rest },
  ];
  return [
    ask('/api/pair/begin', {
      summary: 'Begin to ask for access: get a key of the service and its commitment',
      responses: { 200: ok(schemaOf(pairBegunSchema)), 403: refusal('Pairing is switched off') },
    }),
    ask('/api/pair', {
      summary: 'Ask for access: the user sees the prompt, or a printed code is handed in',
      requestBody: body(pairSchema),
      responses: {
        200: ok(schemaOf(pairAskedSchema)),
        ...refusals(400),
        401: refusal('The code is not valid, was used already, or is too old'),
        403: refusal('Pairing is off, no user can be asked here, or pairing does not grant the scope'),
        404: refusal('The attempt is unknown: begin again'),
        409: refusal('The user is being asked something else'),
        429: refusal('The user did not agree before, or too many codes were tried: wait'),
      },
    }),
    ask('/api/pair/fetch', {
      summary: 'Fetch the answer of the user; the grant is returned once, and only to the device that asked',
      requestBody: body(pairFetchSchema),
      responses: {
        200: ok(schemaOf(pairAnswerSchema)),
        ...refusals(400),
        404: refusal('The request is unknown: it was answered, withdrawn or ran out'),
      },
    }),
  ];
}

function parameter(name: string, description: string, place: 'query' | 'path' = 'query') {
  return { name, in: place, required: true, description, schema: { type: 'string' } };
}

const body = (schema: z.ZodType) => ({ required: true, content: json(schemaOf(schema, 'input')) });

const ofTypes = (type: string, ...types: string[]) =>
  Object.fromEntries(types.map((each) => [each, { schema: { type } }]));

/** For long responses. */
const selection = [
  {
    name: 'fields',
    in: 'query',
    required: false,
    description: 'Only these fields, separated by commas, with dots for those inside others; lists are passed through',
    schema: { type: 'string' },
  },
  {
    name: 'sort',
    in: 'query',
    required: false,
    description:
      'A field, with dots for one inside others: the innermost list on the way to it is sorted by it, before limit; with - in front, the highest first. Entries without a value are last',
    schema: { type: 'string' },
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'At most so many entries of every list; texts and numbers within an entry stay complete',
    schema: { type: 'integer', minimum: 1 },
  },
];

const sentences: Record<number, string> = {
  400: 'The request is not valid; the sentence names the field',
  401: 'No token, or none that is valid',
  403: 'The token lacks the scope, or the caller or page may not do this',
  404: 'What it names is not there',
};

const refusals = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, refusal(sentences[status] ?? '')]));

const refusal = (description: string) => ({ description, content: json(reference('Error')) });

const ok = (schema: Json) => ({ description: 'Done', content: json(schema) });

/** A picture of one of these types, or JSON for clients that accept nothing else. */
const shown = (types: readonly string[], schema: Json) => ({
  description: 'The picture; with "Accept: application/json" the JSON, in which it is base64',
  content: {
    ...Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
    ...json(schema),
  },
});

const json = (schema: Json) => ({ 'application/json': { schema } });

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  return rest;
}
