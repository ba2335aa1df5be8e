import { expect, test } from 'bun:test';
import { secretIn } from './media.artwork.ts';

test.each([
  'https://i.scdn.co/image/ab67616d0000b273',
  'https://i.ytimg.com/vi/abc/hqdefault.jpg?sqp=-oaymwE&rs=AOn4CLD',
  'https://lh3.googleusercontent.com/xyz=w544-h544-l90-rj',
  'http://192.168.1.5:32400/photo/:/transcode?width=300&url=%2Flibrary',
  'http://nas/rest/getCoverArt?id=5',
  'http://127.0.0.1:6680/local/art.jpg',
])('the artwork address %s is passed on', (address) => {
  expect(secretIn(new URL(address))).toBeNull();
});

test.each([
  'https://ann:hunter2@nas/cover.jpg',
  'https://ann@nas/cover.jpg',
  'https://:hunter2@nas/cover.jpg',
  'http://192.168.1.5:32400/library/metadata/1/thumb?X-Plex-Token=abc',
  'http://nas:8096/Items/1/Images/Primary?api_key=abc',
  'http://nas:8096/Items/1/Images/Primary?ApiKey=abc',
  'http://nas:4533/rest/getCoverArt?u=ann&t=26719a&s=c19b2d&v=1.16&c=player&id=5',
  'http://nas:4533/rest/getCoverArt.view?u=ann&p=enc:68756e&id=5',
  'https://host/a.jpg?access_token=abc',
  'https://host/a.jpg?foo=1&auth=abc',
  'https://host/a.jpg?PHPSESSION=abc',
  'https://bucket/a.jpg?X-Amz-Signature=abc',
])('the artwork address %s contains a credential', (address) => {
  expect(secretIn(new URL(address))).not.toBeNull();
});
