import { expect, test } from 'bun:test';
import { parseTask, taskXml } from './task-definition.ts';

const facts = { program: 'C:\\Users\\Ada & Bob\\hostlerw.exe', isRestarted: true };

test('the task runs with the rights of the user, without limits, once, and again every minute', () => {
  const xml = taskXml(facts, 'S-1-5-21-1-2-3-1001');
  for (const part of [
    '<LogonTrigger><Enabled>true</Enabled><UserId>S-1-5-21-1-2-3-1001</UserId></LogonTrigger>',
    '<Interval>PT1M</Interval>',
    '<LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel>',
    '<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '<DisallowStartIfOnBatteries>false<',
    '<ExecutionTimeLimit>PT0S<',
    '<Command>C:\\Users\\Ada &amp; Bob\\hostlerw.exe</Command>',
    '<WorkingDirectory>C:\\Users\\Ada &amp; Bob</WorkingDirectory>',
  ])
    expect(xml).toContain(part);
  expect(taskXml({ ...facts, isRestarted: false }, 'S-1')).not.toContain('TimeTrigger');
});

test('a task is read as it was written; one of another program is not ours', () => {
  for (const isRestarted of [true, false])
    expect(parseTask(taskXml({ ...facts, isRestarted }, 'S-1'))).toEqual({ ...facts, isRestarted });
  expect(parseTask('<Task><Actions/></Task>')).toBeNull();
});
