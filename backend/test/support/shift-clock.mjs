// For `--import`: the process's clock is CLOCK_SHIFT_MS ahead of the machine's.
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
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
