import path from 'node:path';
import { backgroundArguments } from '../../../lib/background-flag.ts';

/** A task that starts the service: https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema */
export interface TaskFacts {
  program: string;
  /** Windows starts it every minute unless it runs already, so also after a crash; otherwise only at login. */
  isRestarted: boolean;
}

/** Each user has an own task: the name is that of the machine. */
export const taskName = (sid: string) => `Hostler-${sid}`;

/** Exists while the repeating trigger is left out, so that a start has to ask the Task Scheduler only then. */
export const suspendedFile = ({ state }: { state: string }) => path.join(state, 'restarts-suspended');

/** RestartOnFailure of the schema does not cover a program that crashes, so a repeating trigger does. */
export function taskXml({ program, isRestarted }: TaskFacts, sid: string): string {
  const repeating =
    '<TimeTrigger><Repetition><Interval>PT1M</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition>' +
    '<StartBoundary>2020-01-01T00:00:00</StartBoundary><Enabled>true</Enabled></TimeTrigger>';
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Starts Hostler at login, and again after a crash</Description></RegistrationInfo>
  <Triggers>
    ${isRestarted ? repeating : ''}
    <LogonTrigger><Enabled>true</Enabled><UserId>${sid}</UserId></LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author"><UserId>${sid}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <IdleSettings><StopOnIdleEnd>false</StopOnIdleEnd><RestartOnIdle>false</RestartOnIdle></IdleSettings>
    <Enabled>true</Enabled>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escaped(program)}</Command>
      <Arguments>${backgroundArguments.join(' ')}</Arguments>
      <WorkingDirectory>${escaped(path.win32.dirname(program))}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>`;
}

/**
 * null: not a task of ours. Another user may have made one under our name, so everything that decides what runs is compared: the account, and
 * a program in our own directory.
 */
export function parseTask(xml: string, sid: string, directory: string): TaskFacts | null {
  const only = (tag: string) => {
    const [found, ...more] = [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))];
    return more.length === 0 ? unescaped(found?.[1] ?? '') : '';
  };
  const program = only('Command').replace(/^"(.*)"$/, '$1');
  const isOurs =
    // Windows may name the account of the trigger instead.
    /<Principals>.*?<UserId>([^<]*)<\/UserId>/s.exec(xml)?.[1] === sid &&
    !xml.includes('<ComHandler') &&
    only('Arguments') === backgroundArguments.join(' ') &&
    /^hostler\.exe$/i.test(path.win32.basename(program)) &&
    path.win32.dirname(program).toLowerCase() === directory.toLowerCase();
  return isOurs ? { program, isRestarted: xml.includes('<TimeTrigger') } : null;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
