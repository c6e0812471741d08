import { useStored, writeStored } from './stored';

/** `system` follows the operating system, also while the page is open. */
export type ThemeChoice = 'light' | 'dark' | 'system';

/** public/theme.js reads the same key before the first paint. */
const KEY = 'tgcontrol.theme';

const isChoice = (value: string | null): value is ThemeChoice =>
  value === 'light' || value === 'dark' || value === 'system';

/** The chosen theme and how to change it; the page follows at once, without a reload. */
export function useTheme(): { choice: ThemeChoice; choose: (choice: ThemeChoice) => void } {
  const stored = useStored(KEY);
  return {
    choice: isChoice(stored) ? stored : 'system',
    choose: (choice) => {
      writeStored(KEY, choice);
      window.dispatchEvent(new Event('tgcontrol:theme'));
    },
  };
}
