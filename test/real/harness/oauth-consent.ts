import { expect } from 'bun:test';
import { postJson, type RunningHostler, until } from './service.ts';

/** What the script of the consent page does. */
export async function consentTo(hostler: RunningHostler, url: URL, how: 'allow' | 'less' | 'deny'): Promise<URL> {
  const page = await fetch(url);
  expect([page.status, page.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
  const post = async (path: string, body: object) => await (await postJson(hostler, path, body, '')).json();
  const claim = 'A'.repeat(43);
  const { id, digits } = await post('/oauth/authorize', { query: url.search.slice(1), claim });
  expect(await post('/oauth/answer', { id, claim })).toEqual({ location: null });
  // In the dashboard, which a browser of this machine has signed in to.
  const { token } = await (await postJson(hostler, '/api/login', {}, hostler.token)).json();
  const prompt = await until(async () => {
    const { prompts } = await (await hostler.get('/api/data/prompts', { 'X-API-Token': token })).json();
    return prompts?.[0] ?? null;
  });
  expect(prompt.text).toContain(`Code: ${digits}.`);
  expect(prompt.text).toContain(`says that it goes to ${new URL(url.searchParams.get('redirect_uri') ?? '').host}`);
  // An Allow does not count in the first second.
  await until(async () => {
    const answered = await postJson(hostler, '/api/prompts/answer', { id: prompt.id, answer: how }, token);
    return answered.ok ? true : null;
  });
  return await until(async () => {
    const { location } = await post('/oauth/answer', { id, claim });
    return location === null ? null : new URL(location);
  });
}
