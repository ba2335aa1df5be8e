import { anyOf, flag, list, object, oneOf, optional, record, type Shape, text } from './shape.ts';
import { metaKeys } from './versions.ts';

const client = object({
  name: text,
  title: optional(text),
  icons: optional(
    list(
      object({
        src: text,
        mimeType: optional(text),
        sizes: optional(list(text)),
        theme: optional(oneOf('light', 'dark')),
      }),
    ),
  ),
  version: text,
  websiteUrl: optional(text),
  description: optional(text),
});

const capabilities = {
  experimental: optional(record(record())),
  sampling: optional(object({ context: optional(record()), tools: optional(record()) })),
  elicitation: optional(object({ form: optional(object({ applyDefaults: optional(flag) })), url: optional(record()) })),
  roots: optional(object({ listChanged: optional(flag) })),
};
const extensions = optional(record(record()));
const taskRequests = object({
  sampling: optional(object({ createMessage: optional(record()) })),
  elicitation: optional(object({ create: optional(record()) })),
});
const tasks = optional(
  object({ list: optional(record()), cancel: optional(record()), requests: optional(taskRequests) }),
);

/** What `_meta` of a request of the newer protocol holds. */
export const envelopeShape = object({
  [metaKeys.version]: text,
  [metaKeys.client]: optional(client),
  [metaKeys.capabilities]: object({ ...capabilities, extensions }),
  [metaKeys.logLevel]: optional(oneOf('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency')),
});

export const initializeShape = object({
  protocolVersion: text,
  capabilities: object({ ...capabilities, tasks, extensions }),
  clientInfo: client,
});

export const subscriptionShape = object({
  toolsListChanged: optional(flag),
  promptsListChanged: optional(flag),
  resourcesListChanged: optional(flag),
  resourceSubscriptions: optional(list(text)),
});

const page = optional(object({ cursor: optional(text) }));
const resource = object({ uri: text });

/** The parameters of each method; a method without an entry takes any. */
export const paramShapes: ReadonlyMap<string, Shape> = new Map([
  ['initialize', initializeShape],
  ['tools/list', page],
  ['tools/call', object({ name: text, arguments: optional(record()) })],
  ['resources/list', page],
  ['resources/templates/list', page],
  ['resources/read', resource],
  ['resources/subscribe', resource],
  ['resources/unsubscribe', resource],
  ['prompts/list', page],
  ['prompts/get', object({ name: text, arguments: optional(record(text)) })],
  [
    'completion/complete',
    object({
      ref: anyOf(object({ type: oneOf('ref/prompt'), name: text }), object({ type: oneOf('ref/resource'), uri: text })),
      argument: object({ name: text, value: text }),
      context: optional(object({ arguments: optional(record(text)) })),
    }),
  ],
]);
