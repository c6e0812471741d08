import { writeStored } from './stored';

/** Where this browser remembers that a call succeeded once. */
export const FIRST_CALL_KEY = 'tgcontrol.first-call';

/** Ends the first-run guide. */
export function rememberFirstCall(): void {
  writeStored(FIRST_CALL_KEY, 'yes');
}
