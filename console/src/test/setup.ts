import '@testing-library/jest-dom';
import { cleanup, configure } from '@testing-library/react';

// next.config.ts has trailingSlash; next/link learns it from the build, which a test does not have.
process.env['__NEXT_TRAILING_SLASH'] = 'true';
// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 5_000 });

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

afterEach(() => {
  cleanup();
  window.localStorage.clear();
  window.history.replaceState(null, '', '/');
});
