import { expect, test } from 'bun:test';
import { parseTask, taskXml } from './task-definition.ts';

const facts = { program: 'C:\\Users\\Ada & Bob\\hostler.exe', isRestarted: true };

test('the task runs with the rights of the user, without limits, once, and again every minute', () => {
  const xml = taskXml(facts, 'S-1-5-21-1-2-3-1001');
  for (const part of [
    '<LogonTrigger><Enabled>true</Enabled><UserId>S-1-5-21-1-2-3-1001</UserId></LogonTrigger>',
    '<Interval>PT1M</Interval>',
    '<LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel>',
    '<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '<DisallowStartIfOnBatteries>false<',
    '<ExecutionTimeLimit>PT0S<',
    '<Command>C:\\Users\\Ada &amp; Bob\\hostler.exe</Command>',
    '<Arguments>serve --background</Arguments>',
    '<WorkingDirectory>C:\\Users\\Ada &amp; Bob</WorkingDirectory>',
  ])
    expect(xml).toContain(part);
  expect(taskXml({ ...facts, isRestarted: false }, 'S-1')).not.toContain('TimeTrigger');
});

const parse = (xml: string) => parseTask(xml, 'S-1', 'C:\\users\\Ada & Bob');

test.each([
  ['of another account', taskXml(facts, 'S-2')],
  ['of a program elsewhere', taskXml({ ...facts, program: 'C:\\Users\\Public\\hostler.exe' }, 'S-1')],
  ['of another program', taskXml({ ...facts, program: 'C:\\Users\\Ada & Bob\\evil.exe' }, 'S-1')],
  ['with other arguments', taskXml(facts, 'S-1').replace('>serve --background<', '>serve --host 0.0.0.0<')],
  [
    'with two programs',
    taskXml(facts, 'S-1').replace('</Exec>', '</Exec><Exec><Command>C:\\evil.exe</Command></Exec>'),
  ],
])('a task under our name %s is not ours', (_what, xml) => {
  expect(parse(xml)).toBeNull();
});

test('a task is read as it was written; one of another program is not ours', () => {
  for (const isRestarted of [true, false])
    expect(parse(taskXml({ ...facts, isRestarted }, 'S-1'))).toEqual({ ...facts, isRestarted });
  expect(parse('<Task><Actions/></Task>')).toBeNull();
});
