/** The modules that a running service can read on this machine. Asking reads each of them. */
export async function readableModules(port: number, token: string): Promise<string[]> {
  const headers = { 'X-API-Token': token };
  const response = await fetch(`http://127.0.0.1:${port}/api/modules`, { headers });
  const modules: unknown = await response.json();
  if (!Array.isArray(modules)) throw new Error(`/api/modules answered ${response.status}`);
  const readable: string[] = [];
  for (const { name } of modules) {
    const { status } = await fetch(`http://127.0.0.1:${port}/api/data/${name}`, { headers });
    if (status === 200) readable.push(String(name));
  }
  return readable;
}
