/** An upload as td_api's InputFile, for the params of a call. */
export function inputFileLocal(path: string): string {
  return `{ "@type": "inputFileLocal", "path": ${JSON.stringify(path)} }`;
}
