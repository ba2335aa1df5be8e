import { options, type VNode } from 'preact';

/** Characters that change the text direction: titles and names could reverse the text of the page with them. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shown visibly, so that a name cannot imitate another one. */
export const plainText = (text: string) => text.replace(turning, '\ufffd');

const attributes = ['title', 'alt', 'aria-label', 'placeholder'];

/** Applies to all text on the page. Addresses and inputs are unchanged. */
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
