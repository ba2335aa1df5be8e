import { openEventStream, type StreamParts } from './event-stream.ts';
import { codes, type Params, type RequestMessage, rpcResponse } from './messages.ts';
import { subscriptionShape } from './params.ts';
import type { McpServer } from './server.ts';
import { isObject } from './shape.ts';
import { metaKeys } from './versions.ts';

/** What a client of the newer protocol wants to be notified of; only what the server can announce. */
export interface Subscription {
  toolsListChanged?: true;
  promptsListChanged?: true;
  resourcesListChanged?: true;
  resourceSubscriptions?: string[];
}

/** An open subscription. */
export interface Subscriber {
  notify(method: string, params?: Params): void;
  /** Ends it; the client is informed. */
  close(): void;
}

/** Answers `subscriptions/listen`. `subscribe` returns the function that is called when the stream has ended. */
export function openSubscription(
  { capabilities, info }: McpServer,
  { id, params }: RequestMessage,
  { signal }: Pick<Request, 'signal'>,
  parts: StreamParts,
  subscribe: (wanted: Subscription, subscriber: Subscriber) => () => void,
): Response {
  const asked = params?.notifications;
  if (!isObject(asked) || subscriptionShape(asked) !== null)
    return rpcResponse(200, { jsonrpc: '2.0', error: invalidFilter, id });
  const wanted = honoured(asked, capabilities);
  const ours = { [metaKeys.subscription]: id };
  let unsubscribe = () => {};
  const stream = openEventStream(parts, {}, () => {
    signal.removeEventListener('abort', stream.close);
    unsubscribe();
  });
  const notify = (method: string, more: Params = {}) =>
    stream.send({ jsonrpc: '2.0', method, params: { ...more, _meta: ours } });
  const close = () => {
    stream.send({
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete', _meta: { ...ours, [metaKeys.server]: info } },
    });
    stream.close();
  };
  notify('notifications/subscriptions/acknowledged', { notifications: wanted });
  if (Object.keys(wanted).length === 0) close();
  else if (signal.aborted) stream.close();
  else {
    signal.addEventListener('abort', stream.close);
    unsubscribe = subscribe(wanted, { notify, close });
  }
  return stream.response;
}

const invalidFilter = {
  code: codes.invalidParams,
  message: "Invalid params: 'notifications' is required and must be a valid SubscriptionFilter",
};

function honoured(asked: Params, capabilities: Params): Subscription {
  const can = (feature: string, ability: string) => {
    const declared = capabilities[feature];
    return isObject(declared) && declared[ability] === true;
  };
  const uris = Array.isArray(asked.resourceSubscriptions) ? asked.resourceSubscriptions.map(String) : [];
  return {
    ...(asked.toolsListChanged === true && can('tools', 'listChanged') ? { toolsListChanged: true } : {}),
    ...(asked.promptsListChanged === true && can('prompts', 'listChanged') ? { promptsListChanged: true } : {}),
    ...(asked.resourcesListChanged === true && can('resources', 'listChanged') ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 && can('resources', 'subscribe') ? { resourceSubscriptions: uris } : {}),
  };
}
