import { timeInWords } from '../../lib/units.ts';
import { type AlertMessage, type AlertPriority, messageInWords } from '../notification.ts';

/** One text for a service, about one alert or several. */
export interface TargetNote {
  /** The same in each attempt. */
  id: string;
  title: string;
  text: string;
  priority: AlertPriority;
  kind: 'begun' | 'ended' | 'test';
  /** Wall clock. */
  at: number;
  machine: string;
  messages: readonly AlertMessage[];
}

const priorities: readonly AlertPriority[] = ['low', 'normal', 'high', 'urgent'];
const mostSentences = 20;

export function noteAbout(messages: readonly AlertMessage[]): TargetNote {
  const [first] = messages;
  if (first === undefined) throw new Error('there is no alert to send');
  const { machine, id, at, type } = first;
  const sentences = messages.slice(0, mostSentences).map(sentenceOf);
  const more = messages.length - sentences.length;
  const kind = messages.some((message) => message.type === 'alert.begun')
    ? 'begun'
    : type === 'alert.test'
      ? 'test'
      : 'ended';
  const begun = messages.filter((message) => message.type === 'alert.begun').length;
  const counts = [begun > 0 && `${begun} begun`, messages.length > begun && `${messages.length - begun} over`];
  return {
    id: messages.length === 1 ? id : `${id}_${messages.length}`,
    title:
      messages.length === 1
        ? `${machine}: ${messageInWords(first).title}`
        : `${machine}: alerts, ${counts.filter(Boolean).join(', ')}`,
    text: [...sentences, ...(more > 0 ? [`${more} more alerts.`] : [])].join('\n'),
    priority: priorities[Math.max(...messages.map((message) => priorities.indexOf(priorityOf(message))))] ?? 'normal',
    kind,
    at,
    machine,
    messages,
  };
}

/** The end of an alert wakes no one. */
const priorityOf = ({ type, priority }: AlertMessage) =>
  type === 'alert.ended' && priority !== 'low' ? 'normal' : priority;

const moment = (ms: number) => timeInWords(Math.floor(ms / 1000)).slice(0, -3);

function sentenceOf({ type, at, alert, machine }: AlertMessage): string {
  const { name, condition, text, since } = alert;
  if (type === 'alert.test') return `This is a test from ${machine}, sent at ${moment(at)}.`;
  if (type === 'alert.ended')
    return `${name}: over on ${machine} (${condition}). It lasted from ${moment(since)} until ${moment(at)}.`;
  return `${name}: ${text || condition}, on ${machine} since ${moment(since)}.`;
}

export const cutTo = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`.toWellFormed();
