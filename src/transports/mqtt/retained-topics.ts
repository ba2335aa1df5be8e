import type { Service } from '../../core/service.ts';
import type { Announced } from './announced.ts';
import { type Topics, topicsOf } from './topics.ts';

type Parts = Pick<Service, 'modules' | 'actions'>;

/** Topics that earlier settings published and these do not. */
export function leftoverTopics(
  { modules, actions }: Parts,
  topics: Topics,
  earlier: Announced,
  isPublished: (module: string) => boolean,
): string[] {
  const dropped = modules.filter(({ name }) => !isPublished(name));
  const isMoved = earlier.id !== '' && earlier.root !== topics.root;
  return [
    ...dropped.flatMap(({ name }) => [topics.state(name), topics.values(name)]),
    ...(isMoved ? retainedTopics({ modules, actions }, topicsOf(earlier.root, earlier.id), imagesIn(earlier)) : []),
  ];
}

/** Every retained topic except announcements. */
export function retainedTopics({ modules, actions }: Parts, topics: Topics, images: Iterable<string>): string[] {
  return [
    topics.availability,
    topics.powerState,
    ...modules.flatMap(({ name }) => [topics.state(name), topics.values(name)]),
    ...actions.map(({ name }) => topics.values(name)),
    ...[...images].map(topics.image),
  ];
}

export const imagesIn = ({ groups }: Announced): string[] =>
  Object.values(groups).flatMap((group) =>
    Object.entries(group).flatMap(([key, { platform }]) => (platform === 'image' ? [key] : [])),
  );
