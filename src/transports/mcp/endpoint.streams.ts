import { budgets } from '../../access/limits/budgets.ts';

/** Limit of data buffered for a client that does not read; the system buffers some more. */
const maxWaitingBytes: number = budgets.all.streamBytes;

export const isStream = (response: Response) =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The same response. A stream whose client stopped reading is closed before it fills the memory. */
export function bounded(response: Response, limit = maxWaitingBytes): Response {
  const { body, status, headers } = response;
  if (body === null || !isStream(response)) return response;
  const reader = body.getReader();
  const pump = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        if ((controller.desiredSize ?? 0) >= -limit) continue;
        controller.error(new Error('The client does not read the requested data'));
        return await reader.cancel();
      }
    } catch {
      // Cancelled by the client, or the source failed: nothing more follows.
      await reader.cancel().catch(() => {});
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void pump(controller),
      cancel: (reason) => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(stream, { status, headers });
}
