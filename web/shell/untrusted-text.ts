import { options, type VNode } from 'preact';

/** Characters that turn the direction of everything after them: titles and names could reverse our own words with them. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** They are shown as such, so that a name made to look like another one does not. */
export const plainText = (text: string) => text.replace(turning, '\ufffd');

const attributes = ['title', 'alt', 'aria-label', 'placeholder'];

/** For all text on the page at once, whichever view draws it and whoever it came from. Addresses and inputs stay as they are. */
export function showForeignText(): void {
  const before = options.vnode;
  options.vnode = (node: { type: unknown; props: unknown }) => {
    // The library makes a node without a type of every piece of text.
    if (typeof node.props === 'string') node.props = plainText(node.props);
    else if (typeof node.type === 'string') cleanAttributes(node.props as Record<string, unknown>);
    before?.(node as VNode);
  };
}

function cleanAttributes(props: Record<string, unknown>): void {
  for (const name of attributes) {
    const value = props[name];
    if (typeof value === 'string') props[name] = plainText(value);
  }
}
