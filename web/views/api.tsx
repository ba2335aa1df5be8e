import { Card } from '../components/card.tsx';
import { basePath } from '../state/base-path.ts';
import { ownCommand } from '../state/own-command.ts';

export function Api() {
  const { origin } = location;
  return (
    <div class="cards">
      <Card title="HTTP" icon="braces">
        <pre>{`printf 'X-API-Token: %s\\n' "$(${ownCommand('token')})" |\n  curl -H @- ${origin}/api/data/cpu`}</pre>
        <p class="small">
          <a href={`${basePath}/api/docs`}>API reference</a>,{' '}
          <a href={`${basePath}/api/openapi.json`}>OpenAPI 3.1 document</a>
        </p>
      </Card>
      <Card title="WebSocket" icon="plug">
        <pre>{`${origin.replace(/^http/, 'ws')}/api/websocket\n{"token":"…","id":"1","event":"REGISTER_DATA_LISTENER",\n "data":{"modules":["cpu"]}}`}</pre>
        <p class="small">
          <a href={`${basePath}/api/docs#websocket`}>API reference</a>,{' '}
          <a href={`${basePath}/api/asyncapi.json`}>AsyncAPI 3 document</a>
        </p>
      </Card>
    </div>
  );
}
