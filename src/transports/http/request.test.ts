import { expect, test } from 'bun:test';
import { basicPasswordOf, secretsOf } from './request.ts';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  [basic('prometheus:secret'), ['secret']],
  [basic(':secret'), ['secret']],
  [basic('a:b:c'), ['b:c']],
  [basic('secret'), []],
  ['basic   czpz', ['s']],
  ['Basic', []],
  ['Basic !!!', []],
  ['Bearer secret', []],
])('of Authorization %p the password is %j', (authorization, passwords) => {
  expect(basicPasswordOf(new Headers({ authorization }))).toEqual(passwords);
});

test('a password is not a token anywhere else', () => {
  expect(secretsOf(new Headers({ authorization: basic('x:secret') }))).not.toContain('secret');
});
