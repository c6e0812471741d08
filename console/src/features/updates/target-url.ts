/** What is wrong with a webhook's URL as far as it can be told without dialling; the server looks at the address itself. */
export function urlProblem(text: string): string | undefined {
  const url = text.trim();
  if (url === '') return 'Enter the URL that updates are posted to.';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'This is no URL: it begins with https://.';
  }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return 'Only http and https can be posted to.';
  if (parsed.username !== '' || parsed.password !== '') {
    return 'No name or password in the URL: every delivery is signed, and the receiver checks that.';
  }
  return undefined;
}
