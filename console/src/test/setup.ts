import { webcrypto } from 'node:crypto';
import '@testing-library/jest-dom';
import { cleanup, configure } from '@testing-library/react';

// next.config.ts has trailingSlash; next/link learns it from the build, which a test does not have.
process.env['__NEXT_TRAILING_SLASH'] = 'true';
// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 20_000 });

jest.mock('next/navigation', () => jest.requireActual<object>('./navigation'));

// jsdom has no layout, so it lacks these; radix and the palette call them.
// A promise, as newer browsers give: an effect that returns it breaks the page.
Element.prototype.scrollIntoView = () => Promise.resolve() as unknown as undefined;
Element.prototype.hasPointerCapture = () => false;
Element.prototype.releasePointerCapture = () => undefined;
globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
// Nor do its files let themselves be read as those of browsers do, and it makes no checksums.
const filePrototype = Object.getPrototypeOf(File.prototype) as Blob;
filePrototype.arrayBuffer = function readAll(this: Blob) {
  return new Promise<ArrayBuffer>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(new Error('unreadable'));
    reader.readAsArrayBuffer(this);
  });
};
Object.defineProperty(globalThis.crypto, 'subtle', {
  // Node's own takes no ArrayBuffer of jsdom.
  value: { digest: (name: string, bytes: ArrayBuffer) => webcrypto.subtle.digest(name, Buffer.from(bytes)) },
});

afterEach(() => {
  cleanup();
  window.localStorage.clear();
  window.history.replaceState(null, '', '/');
});
