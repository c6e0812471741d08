import { useState } from 'react';

/** What had the focus when a dialog opened; for a menu's item, which goes away with its menu, the menu's button. */
function findOpener(): HTMLElement | null {
  if (typeof document === 'undefined') return null;
  const active = document.activeElement;
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button === undefined || button === null ? active : document.getElementById(button);
  return opener instanceof HTMLElement ? opener : null;
}

/**
 * For `onCloseAutoFocus`: gives the focus back to where it was. Radix does that only for dialogs with a trigger of their
 * own, and ours are opened from menus, keys and addresses. Another dialog that has the focus by then keeps it.
 */
export function useFocusReturn(): (event: Event) => void {
  const [opener] = useState(findOpener);
  return (event) => {
    event.preventDefault();
    if (document.activeElement === null || document.activeElement === document.body) opener?.focus();
  };
}
