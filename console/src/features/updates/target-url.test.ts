import { urlProblem } from './target-url';

it.each([
  ['', /Enter the URL/],
  ['example.com', /no URL/],
  ['ftp://example.com', /Only http/],
  ['https://me:secret@example.com', /No name or password/],
])('refuses %s before it is sent', (text, words) => {
  expect(urlProblem(text)).toMatch(words);
});

it('takes http and https', () => {
  expect(urlProblem(' https://example.com/hook ')).toBeUndefined();
  expect(urlProblem('http://10.0.0.5:8000/')).toBeUndefined();
});
