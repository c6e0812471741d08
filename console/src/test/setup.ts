import '@testing-library/jest-dom';
import { cleanup } from '@testing-library/react';

jest.mock('next/navigation', () => jest.requireActual<object>('./navigation'));

// jsdom has no layout, so it lacks these; radix and the palette call them.
Element.prototype.scrollIntoView = () => undefined;
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
