/** Something was named that does not exist. */
export class UnknownError extends Error {
  constructor(
    readonly what: string,
    readonly id: number | string,
  ) {
    super(`there is no ${what} ${String(id)}`);
    this.name = 'UnknownError';
  }
}
