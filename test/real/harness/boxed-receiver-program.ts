import { startWebhookReceiver } from './webhook-receivers.ts';

// Started by boxed-receiver.ts in the network of a box: first its port, then each message, a line each.
const { port, received } = startWebhookReceiver(() => {
  console.log(JSON.stringify(received.at(-1)));
  return new Response('ok');
});
console.log(port);
