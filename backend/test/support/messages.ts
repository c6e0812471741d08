/** td_api's content of a text message. */
export function textContent(text: string): object {
  return { '@type': 'inputMessageText', text: { '@type': 'formattedText', text } };
}
