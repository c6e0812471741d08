const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

function read(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text.trim());
  const factor = units[match?.[2] ?? '-'];
  if (!match || factor === undefined) return undefined;
  const value = Number(match[1]) * factor;
  return Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined;
}

/** `500ms`, `30s`, `2h`, `7d` in milliseconds; undefined when it is none. */
export function parseDurationMs(text: string): number | undefined {
  return read(text, MILLISECONDS);
}

/** `64MiB`, `2GiB` or plain bytes in bytes; undefined when it is none. */
export function parseSizeBytes(text: string): number | undefined {
  return read(text, BYTES);
}
