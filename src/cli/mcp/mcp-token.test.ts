import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createOauthGrants } from '../../access/oauth/oauth-grants.ts';
import { openTokens } from '../../access/tokens/tokens.ts';
import { scopes } from '../../features/index.ts';
import { addScopes, newAgentSecret } from './mcp-token.ts';

const hostWith = () => ({
  storage: memoryStorage(),
  clock: fakeClock(),
  paths: { config: '/config', state: '/state', runtime: null },
});

describe('the token of an agent', () => {
  test('gets more scopes by the name of its program', () => {
    const host = hostWith();
    newAgentSecret(host, 'mcp-codex', ['read'], false);
    expect(addScopes(host, 'mcp-codex', ['power'])).toEqual(['read', 'power']);
    expect(addScopes(host, 'mcp-cursor', ['power'])).toBeNull();
  });

  test('is not confused with that of a device that was paired under its name', () => {
    const host = hostWith();
    const { secret } = openTokens(scopes, host).create('mcp-codex', ['read']);
    expect(() => addScopes(host, 'mcp-codex', ['power'])).toThrow('was not made with');
    expect(() => newAgentSecret(host, 'mcp-codex', ['read'], false)).toThrow('was not made with');
    expect(openTokens(scopes, host).find(secret)?.scopes).toEqual(['read']);
  });

  test('is not confused with that of an agent that named itself so and asked with OAuth', () => {
    const host = hostWith();
    const grants = createOauthGrants(openTokens(scopes, host), host.clock);
    grants.open({ name: 'mcp-codex', scopes: ['read'], identity: 'one' });
    expect(() => addScopes(host, 'mcp-codex', ['power'])).toThrow('was not made with');
  });
});
