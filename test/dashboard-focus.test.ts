import { expect, test } from 'bun:test';
import { noteNavigation, showFound } from '../web/shell/found-place.ts';

test('an address scrolls to a control, and only navigation within the page focuses it', () => {
  const done: string[] = [];
  const control = {
    scrollIntoView: () => void done.push('scrolled'),
    focus: () => void done.push('focused'),
  } as unknown as HTMLElement;
  showFound(control);
  expect(done.splice(0)).toEqual(['scrolled']);
  noteNavigation();
  showFound(control);
  expect(done).toEqual(['scrolled', 'focused']);
});
