/** A response that sends messages as they come: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface EventStream {
  response: Response;
  send(message: object): void;
  close(): void;
}

/** What every stream needs of its surroundings. */
export interface StreamParts {
  /** Calls back once, and returns the function that prevents it. */
  after(ms: number, callback: () => void): () => void;
  keepAliveMs: number;
  /** Limit of what is buffered for a client that does not read. */
  maxWaitingBytes: number;
}

/** `ended` is called once: when the stream was closed, or when its client disconnected or stopped reading. */
export function openEventStream(parts: StreamParts, headers: Record<string, string>, ended: () => void): EventStream {
  const state: StreamState = { parts, ended, controller: null, cancelKeepAlive: () => {} };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        state.controller = controller;
      },
      cancel: () => finish(state),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  keepAlive(state);
  return {
    response: new Response(body, { headers: { ...streamHeaders, ...headers } }),
    send: (message) => write(state, eventOf(message)),
    close() {
      const { controller } = state;
      finish(state);
      controller?.close();
    },
  };
}

/** Events that are sent as a stream only if they take time: most are ready at once, and then a plain response costs less memory and CPU. */
export interface Events extends Omit<EventStream, 'response'> {
  response: Promise<Response>;
  /** Begins the stream, if it has not begun. */
  open(): void;
}

/** A client sees that its request has arrived. */
const openAfterMs = 200;

export function collectEvents(parts: StreamParts, headers: Record<string, string>, ended: () => void): Events {
  const response = Promise.withResolvers<Response>();
  let waiting: object[] | null = [];
  let stream: EventStream | null = null;
  const open = () => {
    if (waiting === null) return;
    cancelOpening();
    stream = openEventStream(parts, headers, ended);
    for (const message of waiting) stream.send(message);
    waiting = null;
    response.resolve(stream.response);
  };
  const cancelOpening = parts.after(openAfterMs, open);
  return {
    response: response.promise,
    open,
    send(message) {
      if (waiting === null) stream?.send(message);
      else waiting.push(message);
    },
    close() {
      if (waiting === null) return stream?.close();
      cancelOpening();
      response.resolve(new Response(waiting.map(eventOf).join(''), { headers: { ...streamHeaders, ...headers } }));
      waiting = null;
      ended();
    },
  };
}

const eventOf = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

interface StreamState {
  parts: StreamParts;
  ended(): void;
  /** null: it has ended. */
  controller: ReadableStreamDefaultController<Uint8Array> | null;
  cancelKeepAlive(): void;
}

const encoder = new TextEncoder();

function write(state: StreamState, text: string): void {
  const { controller, parts } = state;
  if (controller === null) return;
  controller.enqueue(encoder.encode(text));
  if ((controller.desiredSize ?? 0) >= -parts.maxWaitingBytes) return;
  finish(state);
  controller.error(new Error('The client does not read the requested data'));
}

function keepAlive(state: StreamState): void {
  const { after, keepAliveMs } = state.parts;
  state.cancelKeepAlive = after(keepAliveMs, () => {
    write(state, ': keepalive\n\n');
    if (state.controller !== null) keepAlive(state);
  });
}

function finish(state: StreamState): void {
  if (state.controller === null) return;
  state.controller = null;
  state.cancelKeepAlive();
  state.ended();
}
