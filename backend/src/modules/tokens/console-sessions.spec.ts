import { CONSOLE_SESSION_MS, ConsoleSessions } from './console-sessions.js';

describe('ConsoleSessions', () => {
  let now = 0;
  const sessions = new ConsoleSessions('token', () => now);

  it('are found by their cookie until they expire', () => {
    const session = sessions.open();
    expect(sessions.find(session.cookie)).toEqual(session);
    now += CONSOLE_SESSION_MS - 1;
    expect(sessions.find(session.cookie)).toEqual(session);
    now += 1;
    expect(sessions.find(session.cookie)).toBeUndefined();
  });

  it('end with the API token they were opened with', () => {
    const { cookie } = sessions.open();
    expect(new ConsoleSessions('new token', () => now).find(cookie)).toBeUndefined();
    expect(new ConsoleSessions('token', () => now).find(cookie)).toBeDefined();
  });

  it('stay ended once they were', () => {
    const [one, two] = [sessions.open(), sessions.open()];
    sessions.end(one);
    expect(sessions.find(one.cookie)).toBeUndefined();
    expect(sessions.find(two.cookie)).toBeDefined();
  });

  it('are not found by a cookie that has more than was given out, ended or not', () => {
    const session = sessions.open();
    expect(sessions.find(`${session.cookie}.x`)).toBeUndefined();
    sessions.end(session);
    for (const tail of ['.x', '.', '..']) expect(sessions.find(session.cookie + tail)).toBeUndefined();
  });

  it.each(['', 'v1', 'v1.1.2.3', 'v1.99999999999999.x.y', 'v2.1.2.3.4'])('are not found by %p', (cookie) => {
    expect(sessions.find(cookie)).toBeUndefined();
  });

  it('have a CSRF token of their own', () => {
    const [one, two] = [sessions.open(), sessions.open()];
    expect(sessions.isCsrfToken(one, one.csrfToken)).toBe(true);
    expect(sessions.isCsrfToken(one, two.csrfToken)).toBe(false);
    expect(sessions.isCsrfToken(one, '')).toBe(false);
  });
});
