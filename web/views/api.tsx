import { Card } from '../parts/card.tsx';

/** What programs need to know. */
export function Api() {
  const origin = location.origin;
  return (
    <div class="cards">
      <Card title="Documents">
        <ul>
          <li>
            <a href="/api/docs">Every route and every field</a>
          </li>
          <li>
            <a href="/api/openapi.json">OpenAPI 3.1</a>, the HTTP interface for machines
          </li>
          <li>
            <a href="/api/asyncapi.json">AsyncAPI 3</a>, the WebSocket interface for machines
          </li>
        </ul>
      </Card>
      <Card title="HTTP">
        <pre>{`curl -H "X-API-Token: $(hostler token)" \\\n  ${origin}/api/data/cpu`}</pre>
      </Card>
      <Card title="WebSocket">
        <pre>{`${origin.replace(/^http/, 'ws')}/api/websocket\n{"token":"…","id":"1","event":"REGISTER_DATA_LISTENER",\n "data":{"modules":["cpu"]}}`}</pre>
      </Card>
      <Card title="Agents (MCP)">
        <p>On the machine itself, this prints what to paste into a client:</p>
        <pre>hostler mcp config claude-code</pre>
        <p class="small">Also for claude-desktop, vscode, cursor, codex and gemini. The endpoint is /api/mcp.</p>
      </Card>
      <Card title="Metrics">
        <p>Prometheus and others that read OpenMetrics:</p>
        <pre>{`${origin}/metrics`}</pre>
      </Card>
    </div>
  );
}
