import { ScopeDeniedError } from '../../common/errors/index.js';
import { currentContext } from '../../common/http/index.js';
import { classOf, DEFAULT_METHOD_CLASSES } from '../../telegram/index.js';

/**
 * Refuses a method of a class that the caller's token has not. What the product does by itself has no caller and may do all.
 * @throws ScopeDeniedError naming the class
 */
export function requireMethodClass(method: string): void {
  if (currentContext()?.caller?.kind !== 'token') {
    return;
  }
  const methodClass = classOf(method);
  if (!DEFAULT_METHOD_CLASSES.includes(methodClass)) {
    throw new ScopeDeniedError(`the token may not call methods of the class ${methodClass}: ${method}`, {
      details: { method, class: methodClass },
    });
  }
}
