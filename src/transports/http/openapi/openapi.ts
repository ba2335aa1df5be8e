import { z } from 'zod';
import type { ActionDefinition } from '../../../core/action.ts';
import { routeOf } from '../../../core/action-state.ts';
import type { ModuleDefinition } from '../../../core/module.ts';
import type { Service } from '../../../core/service.ts';
import { controlEntitySchema, entityDescriptionsSchema, entityValuesSchema } from '../../entities/entities.schema.ts';
import { mqttStatusSchema } from '../../mqtt/mqtt.schema.ts';
import { createAccessSchemas } from '../access.schema.ts';
import * as http from '../http.schema.ts';
import * as pair from '../routes/pair.schema.ts';
import type { Json } from './fields.ts';
import type { OpenApi, OpenApiOperation } from './openapi.document.ts';
import { finishOperations } from './openapi.finish.ts';

/** https://spec.openapis.org/oas/v3.1.0, made from the same schemas that check the data. */
export async function openApiOf({ version, scopes, modules, actions }: DocumentedService): Promise<OpenApi> {
  const access = createAccessSchemas(scopes);
  const schemas: Record<string, Json> = {
    Error: schemaOf(http.errorSchema),
    ModuleState: schemaOf(http.moduleStateSchema),
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
    ...modules.map(moduleRoute),
    ...entityRoutes(),
    ...fileRoutes(),
    ...(await Promise.all(reads)),
    ...(await Promise.all(actions.map(actionRoute))),
    ...accessRoutes(access),
    ...pairRoutes(pair.createPairSchema(scopes)),
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

function routesOf(tag: string) {
  const by =
    (method: Route[1]) =>
    (path: string, summary: string, rest: Omit<OpenApiOperation, 'tags' | 'summary'>): Route => [
      path,
      method,
      { tags: [tag], summary, ...rest },
    ];
  return { get: by('get'), post: by('post'), remove: by('delete') };
}

const readers = { description: 'Scope: read' };
const everyone = { security: [] };
/** Scrapers can only send a password. */
const withBasic = { security: [{ token: [] }, { shortToken: [] }, { bearer: [] }, { basic: [] }] };

function serviceRoutes(): Route[] {
  const { get } = routesOf('service');
  const listOf = (name: string) => ({
    ...readers,
    parameters: selection,
    responses: answers({ type: 'array', items: reference(name) }, 400, 401, 403),
  });
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
    get('/api', 'Confirm that the API is running', { ...everyone, responses: answers(schemaOf(http.statusSchema)) }),
    get('/api/health', 'Health and version', { ...everyone, responses: answers(schemaOf(http.healthSchema)) }),
    get('/api/tls/authority.crt', 'The authority behind the certificate of this machine, to be trusted by others', {
      ...everyone,
      responses: {
        200: { description: 'A certificate (PEM)', content: ofTypes('string', 'application/x-x509-ca-cert') },
        501: refusal('This machine has no authority of its own'),
      },
    }),
    get(
      '/api/modules',
      'Every module: whether it is available, why fields are null, what reading it costs',
      listOf('ModuleState'),
    ),
    get('/api/actions', 'Every action: whether it would work here, and whether this token may', listOf('ActionState')),
    get('/api/mqtt', broker, { ...readers, responses: answers(schemaOf(mqttStatusSchema), 401, 403) }),
    get('/metrics', 'Metrics of the machine as OpenMetrics text, for Prometheus and similar', {
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
    get('/api/discovery/prometheus', search, {
      description:
        'Scope: read. Searches the network for three seconds; what was found is kept for half a minute. The targets are what their senders say about themselves: Prometheus sends each of them the credentials of its job.',
      ...withBasic,
      responses: answers({ type: 'array', items: targets }, 401, 403, 404),
    }),
    get('/api/4/{plugin}', 'The REST API of Glances 4 for dashboards that read it; /api/3 is that of Glances 3', {
      description:
        'Scope: read. Off unless `glances.enabled` is set. The token may also be the password of HTTP basic authentication, with any user name. Single values and entries have longer paths, as in Glances.',
      ...withBasic,
      parameters: [parameter('plugin', 'all, pluginslist, status, or a plugin such as cpu', 'path')],
      responses: answers({}, 400, 401, 403, 404),
    }),
  ];
}

function entityRoutes(): Route[] {
  const { get, post } = routesOf('service');
  return [
    get('/api/entities', 'The machine as entities of home automation', {
      ...readers,
      responses: answers(schemaOf(entityDescriptionsSchema), 400, 401, 403),
    }),
    get('/api/data/entities', 'The values of all entities', {
      ...readers,
      responses: answers(schemaOf(entityValuesSchema), 400, 401, 403),
    }),
    get('/api/entities/picture', 'The picture of an image entity', {
      ...readers,
      parameters: [parameter('key', 'Key of the image')],
      responses: {
        200: { description: 'The picture', content: ofTypes('string', 'image/*') },
        ...refusals(400, 401, 403),
      },
    }),
    post('/api/entities/control', 'Set a control, or press a button', {
      description: 'Scope: read, and that of the control',
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaOf(controlEntitySchema), example: { key: 'volume', value: 30 } },
        },
      },
      responses: answers(schemaOf(http.actionResultSchema), 400, 401, 403, 404),
    }),
  ];
}

function moduleRoute({ name, description }: ModuleDefinition): Route {
  return routesOf('data').get(`/api/data/${name}`, description, {
    ...readers,
    parameters: selection,
    responses: answers(reference(name), 400, 401, 403, {
      404: 'The module is not available now; the sentence says why',
    }),
  });
}

function fileRoutes(): Route[] {
  const { get, post } = routesOf('files');
  return [
    get('/api/media/file/data', 'Download a file of a known directory', {
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
    post('/api/media/file/ticket', 'Get a ticket for one file, for use in its address instead of a token', {
      description:
        'Scope: files. It is good for 90 seconds, from the same address, and until the token is revoked; sent again as {"ticket"} it is good for longer',
      requestBody: body(http.ticketInputSchema),
      responses: answers(schemaOf(http.ticketSchema), 400, 401, 403, { 404: 'The ticket to be renewed has run out' }),
    }),
  ];
}

async function actionRoute(action: ActionDefinition): Promise<Route> {
  const { description, scopes, effect, input, output, example, picture } = action;
  const result = z.object({ ...http.actionResultSchema.shape, data: await output() });
  return routesOf('actions').post(routeOf(action), description, {
    description: `Scope: ${scopes.join(' or ')}`,
    ...(effect === 'read' ? { parameters: selection } : {}),
    requestBody: {
      required: false,
      content: { 'application/json': { schema: schemaOf(await input(), 'input'), example } },
    },
    responses: {
      200: picture === undefined ? ok(schemaOf(result)) : shown(picture.types, schemaOf(result)),
      ...refusals(400, 401, 403, 404, {
        409: 'Something prevents it; the sentence says what',
        413: 'The body is too large',
        415: 'The body is not JSON',
        501: 'This machine does not support it',
        502: 'The operating system refused the request',
      }),
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
  return routesOf('data').get(path, description, {
    description: `Scope: ${scopes.join(' or ')}`,
    parameters: [...fields, ...selection],
    responses: answers(schemaOf(await output()), 400, 401, 403),
  });
}

function accessRoutes(access: ReturnType<typeof createAccessSchemas>): Route[] {
  const { get, post, remove } = routesOf('access');
  const administrators = { description: 'Scope: admin, on the machine itself' };
  const listOf = (items: Json) => ({
    ...administrators,
    parameters: selection,
    responses: answers({ type: 'array', items }, 400, 401, 403),
  });
  return [
    get('/api/tokens', 'List the tokens', listOf(schemaOf(access.usedTokenSchema))),
    post('/api/tokens', 'Create a token; its secret is shown once', {
      ...administrators,
      requestBody: body(access.newTokenSchema),
      responses: {
        201: ok(schemaOf(access.createdTokenSchema)),
        ...refusals(400, 401, 403, { 409: 'The name is taken' }),
      },
    }),
    remove('/api/tokens', 'Revoke a token', {
      ...administrators,
      requestBody: body(http.revokeTokenSchema),
      responses: answers(reference('Token'), 400, 401, 403, { 404: 'There is no such token' }),
    }),
    get(
      '/api/clients',
      'List the clients that are connected, the latest 200',
      listOf(schemaOf(access.connectedClientSchema)),
    ),
    get('/api/login', 'Say how to get a token or a one-time code on the machine', {
      ...everyone,
      responses: answers(schemaOf(http.signInHelpSchema)),
    }),
    post('/api/login', 'Sign a browser in, with a one-time code or with a token in the header', {
      description:
        'A token is needed where there is no code. Codes are for programs of the user whose service this is, on the machine itself: the kernel reports the user at the other end of the connection.',
      security: [{}, { token: [] }, { bearer: [] }],
      requestBody: body(http.loginSchema),
      responses: answers(schemaOf(access.signedInSchema), 400, 401, 403),
    }),
    post('/api/sessions/challenge', 'Get something to sign; good once and for a minute', {
      ...everyone,
      responses: answers(schemaOf(http.challengeSchema)),
    }),
    get('/api/sessions', 'List the browsers that are signed in', listOf(reference('BrowserSession'))),
    post('/api/sessions', 'Get the next token of a session, for a signed challenge', {
      ...everyone,
      requestBody: body(http.proofSchema),
      responses: answers(schemaOf(access.signedInSchema), 400, 401),
    }),
    remove('/api/sessions', 'End the session of a browser', {
      description: 'The own one, or any other with the scope admin on the machine itself',
      requestBody: body(http.endSessionSchema),
      responses: answers(reference('BrowserSession'), 400, 401, 403, { 404: 'There is no such session' }),
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
      responses: answers(schemaOf(pair.pairBegunSchema), { 403: 'Pairing is switched off' }),
    }),
    ask('/api/pair', {
      summary: 'Ask for access: the user sees the prompt, or a printed code is handed in',
      requestBody: body(pairSchema),
      responses: answers(schemaOf(pair.pairAskedSchema), 400, {
        401: 'The code is not valid, was used already, or is too old',
        403: 'Pairing is off, no user can be asked here, or pairing does not grant the scope',
        404: 'The attempt is unknown: begin again',
        409: 'The user is being asked something else',
        429: 'The user did not agree before, or too many codes were tried: wait',
      }),
    }),
    ask('/api/pair/fetch', {
      summary: 'Fetch the answer of the user; the grant is returned once, and only to the device that asked',
      requestBody: body(pair.pairFetchSchema),
      responses: answers(schemaOf(pair.pairAnswerSchema), 400, {
        404: 'The request is unknown: it was answered, withdrawn or ran out',
      }),
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

const answers = (schema: Json, ...refused: Refused[]) => ({ 200: ok(schema), ...refusals(...refused) });

/** Statuses, or the sentences of statuses. */
type Refused = number | Record<number, string>;

const refusals = (...refused: Refused[]) =>
  Object.fromEntries(
    refused
      .flatMap((each) => Object.entries(typeof each === 'number' ? { [each]: sentences[each] ?? '' } : each))
      .map(([status, sentence]) => [status, refusal(sentence)]),
  );

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
