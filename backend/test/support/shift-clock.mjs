// For `--import`, with `?ms=`: the process's clock is so many milliseconds ahead of the machine's.
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const Real = Date;

globalThis.Date = class Date extends Real {
  constructor(...of) {
    if (of.length === 0) super(Real.now() + shiftMs);
    else super(...of);
  }

  static now() {
    return Real.now() + shiftMs;
  }
};
