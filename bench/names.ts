/** The modules of a running service. */
export async function moduleNames(port: number, token: string): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/modules`, { headers: { 'X-API-Token': token } });
  const modules: unknown = await response.json();
  if (!Array.isArray(modules)) throw new Error(`/api/modules answered ${response.status}`);
  return modules.map((each: { name?: unknown }) => String(each.name));
}
