import { expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import type { Scope } from '../../access/scopes.ts';
import type { UserPrompt } from '../../core/agent.ts';
import { type Caller, commandLineId } from '../../core/caller.ts';
import { createOpenPrompts, unreadMs } from '../../core/prompts/open-prompt.ts';
import { createStore } from '../../core/store.ts';
import { allScopes } from '../index.ts';
import { type PromptsPayload, promptsSchema } from './prompts.schema.ts';
import { promptsFeature } from './prompts.ts';

const [answerAction] = promptsFeature.actions;

/** A machine without a screen. */
function machine() {
  const clock = fakeClock();
  const host = fakeHost({ clock });
  const { context } = fakeActionContext(host);
  const prompts = createOpenPrompts(() => Promise.reject(new Error('no screen')), { clock, log: context.log });
  const ask = (prompt: Partial<UserPrompt> = {}) => {
    const answer = prompts.ask({ title: '"claude" asks', text: 'It runs:\n/usr/bin/touch "<b>"', ...prompt }, never);
    clock.advance(unreadMs);
    return { id: prompts.current()?.id ?? '', answer };
  };
  const answerAs = async (caller: Partial<Caller>, id: string, answer = 'allow') =>
    await answerAction?.run({ id, answer }, { ...context, prompts, caller: { ...context.caller, ...caller } });
  return { host, prompts, ask, answerAs };
}

const never = new AbortController().signal;
const from = (address: string, isOurs: boolean) => () => ({ address, forwarded: false, isOurUser: async () => isOurs });
const admin = new Set<Scope>(['read', 'admin']);
const remote: Partial<Caller> = {
  tokenName: 'Chrome on Android',
  tokenId: 'browser-1',
  scopes: admin,
  isBrowser: true,
  connection: from('192.168.1.7', false),
};
const local: Partial<Caller> = { ...remote, connection: from('127.0.0.1', true) };
const commandLine: Partial<Caller> = {
  tokenId: commandLineId,
  scopes: new Set(allScopes),
  connection: from('127.0.0.1', true),
};

test('answering needs the scope admin', () => {
  expect(answerAction?.scopes).toEqual(['admin']);
});

test('a browser on another device and the command line may answer the prompt of an agent', async () => {
  for (const caller of [remote, local, commandLine]) {
    const { ask, answerAs } = machine();
    const { id, answer } = ask();
    expect(await answerAs(caller, id)).toEqual({ message: 'Allowed', data: { id, answer: 'allow' } });
    expect(await answer).toBe('allowed');
  }
});

test('a program with a token may not, even with every scope and on the machine itself', async () => {
  const { ask, answerAs, prompts } = machine();
  const { id } = ask();
  const program = { tokenId: 'token-1', scopes: new Set(allScopes), connection: from('127.0.0.1', true) };
  for (const answer of ['allow', 'deny'])
    await expect(answerAs(program, id, answer)).rejects.toMatchObject({ code: 'forbidden' });
  expect(prompts.current()?.id).toBe(id);
});

test('a device is let in on the machine itself only, and can be denied from anywhere', async () => {
  const device = { onMachine: true, less: 'Only reading' } as const;
  const { ask, answerAs } = machine();
  const { id, answer } = ask(device);
  for (const words of ['allow', 'less'])
    await expect(answerAs(remote, id, words)).rejects.toMatchObject({ code: 'forbidden' });
  await answerAs(remote, id, 'deny');
  expect(await answer).toBe('denied');
  for (const caller of [local, commandLine]) {
    const next = ask(device);
    await answerAs(caller, next.id, 'less');
    expect(await next.answer).toBe('less');
  }
});

test('an answer that the prompt does not offer is refused', async () => {
  const { ask, answerAs } = machine();
  const { id } = ask();
  await expect(answerAs(local, id, 'less')).rejects.toMatchObject({ code: 'invalid' });
});

function storeOf({ host, prompts }: Pick<ReturnType<typeof machine>, 'host' | 'prompts'>) {
  const { module } = promptsFeature;
  if (module === null) throw new Error('no module');
  return createStore({ modules: [module], host, context: { ...fakeContext(), prompts } });
}

test('only callers with the scope admin see the prompt, and agents never do', async () => {
  const { host, prompts, ask } = machine();
  const store = storeOf({ host, prompts });
  const { id } = ask();
  const seenBy = async (scopes: readonly Scope[], as?: 'agent') =>
    (await store.seenBy({ scopes: new Set(scopes) }, as).get('prompts')).payload as PromptsPayload;
  expect(promptsSchema.parse(await seenBy(['read', 'admin'])).prompts).toEqual([
    {
      id,
      title: '"claude" asks',
      text: 'It runs:\n/usr/bin/touch "<b>"',
      answers: [
        { answer: 'allow', label: 'Allow' },
        { answer: 'deny', label: 'Deny' },
      ],
      on_machine: false,
      opened: expect.any(Number),
    },
  ]);
  expect(await seenBy(['read', 'command'])).toEqual({ prompts: null });
  expect(await seenBy(allScopes, 'agent')).toEqual({ prompts: null });
});

test('a prompt is pushed to listeners with the scope admin when it opens and closes, and to no others', async () => {
  const { host, prompts, ask, answerAs } = machine();
  let followers = 0;
  const onChange: typeof prompts.onChange = (changed) => {
    followers++;
    return prompts.onChange(changed);
  };
  const store = storeOf({ host, prompts: { ...prompts, onChange } });
  const listen = async (scopes: Scope[]) => {
    const view = store.seenBy({ scopes: new Set(scopes) });
    const pushed: string[] = [];
    return {
      pushed,
      stop: view.listen('prompts', ({ text }) => void pushed.push(text), { seen: await view.get('prompts') }),
    };
  };
  const [admins, readers] = [await listen(['read', 'admin']), await listen(['read'])];
  await until(() => followers > 0, 'changes are followed');
  const { id } = ask();
  await until(() => admins.pushed.length === 1, 'the prompt is pushed');
  await answerAs(local, id);
  await until(() => {
    host.clock.advance(100);
    return admins.pushed.length === 2;
  }, 'its end is pushed');
  expect([admins.pushed, readers.pushed, followers]).toEqual([[expect.stringContaining(id), '{"prompts":[]}'], [], 1]);
  for (const { stop } of [admins, readers]) stop();
});
